import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import type { ClientRequest, ClientResponse } from '../../src/gateway/http-types.ts'
import { type FastPathOptions, FastPathServer } from '../../src/http/fast-path/fast-path-server.ts'
import { portOf } from '../harness/port-of.ts'
import { openRawClient, type RawClient } from '../harness/raw-client.ts'

/** A request that reached the server, and which reader parsed it. */
export type SeenRequest = {
  reader: 'front' | 'node'
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export type Handler = (request: ClientRequest, response: ClientResponse) => void

export type FastPathWorld = {
  server: FastPathServer
  /** In the order in which their bodies were complete. */
  seen: SeenRequest[]
  open: () => RawClient
  close: () => Promise<void>
}

export const echo: Handler = (request, response) => {
  let body = ''
  request.on('data', (bytes) => (body += bytes.toString('latin1')))
  request.on('end', () => response.end(`${request.method} ${request.url} ${body}.`))
  request.resume()
}

/** A server with the fast path in front, until the test ends. The default handler is an echo. */
export async function openFastPath(
  handle: Handler = echo,
  options: Partial<FastPathOptions> = {},
): Promise<FastPathWorld> {
  const seen: SeenRequest[] = []
  const seenBy =
    (reader: SeenRequest['reader']): Handler =>
    (request, response) => {
      let body = ''
      const { method = '', url = '', headers } = request
      request.on('error', () => {})
      request.on('data', (bytes) => (body += bytes.toString('latin1')))
      request.on('end', () => seen.push({ reader, method, url, headers, body }))
      handle(request, response)
    }
  const server = new FastPathServer({
    accepts: (url) => url.startsWith('/v1/'),
    serveFast: seenBy('front'),
    serve: seenBy('node'),
    ...options,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  onTestFinished(close)
  const url = `http://127.0.0.1:${portOf(server)}`
  return { server, seen, open: () => openRawClient({ url }), close }
}

export const get = (path: string, ...headers: string[]) => head('GET', path, headers)
export const post = (path: string, body: string, ...headers: string[]) =>
  head('POST', path, [...headers, `Content-Length: ${body.length}`]) + body
const head = (method: string, path: string, headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')
