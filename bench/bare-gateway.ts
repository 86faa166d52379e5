// The lower bound for our code: only the server's transport, without token, hold, ledger and log.
import { ByteCollector } from '@tollgate/relay'
import type { ClientRequest, ClientResponse } from '../server/src/gateway/http-types.ts'
import { isRelayPath } from '../server/src/gateway/intake/paths.ts'
import { FastPathServer } from '../server/src/http/fast-path/fast-path-server.ts'
import type { Exchange } from '../server/src/upstream/exchange.ts'
import { createUpstream } from '../server/src/upstream/send.ts'

const BODY_BYTES_MAX = 32 * 1024 * 1024
const upstream = createUpstream()
const headers = {
  authorization: 'Bearer sk-upstream-0123456789',
  'content-type': 'application/json',
  'accept-encoding': 'identity',
}

function serve(request: ClientRequest, response: ClientResponse) {
  const collector = new ByteCollector()
  request.on('data', (chunk: Buffer) => {
    collector.add(chunk)
    if (collector.size > BODY_BYTES_MAX) response.destroy()
  })
  request.on('end', () => {
    const url = `${process.env['UPSTREAM']}${request.url}`
    relay({ url, headers, body: collector.bytes() }, response)
  })
  request.resume()
}

function relay(
  call: { url: string; headers: typeof headers; body: Buffer },
  response: ClientResponse,
) {
  const exchange: Exchange = upstream.send(call, {
    head: (status, { 'content-type': type, 'content-length': length }) => {
      response.writeHead(status, {
        ...(type !== undefined && { 'content-type': type }),
        ...(length !== undefined && { 'content-length': length }),
      })
    },
    data: (chunk) => {
      if (!response.write(chunk)) exchange.pause()
    },
    end: () => response.end(),
    fail: () => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    },
  })
  response.on('drain', () => exchange.resume())
  response.on('close', () => {
    if (!response.writableEnded) exchange.abort()
  })
}

new FastPathServer({
  noDelay: true,
  keepAliveTimeout: 75_000,
  accepts: isRelayPath,
  serveFast: serve,
  serve,
}).listen(Number(process.env['PORT']), '127.0.0.1')
