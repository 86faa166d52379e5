import { once } from 'node:events'
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { portOf } from '../harness/port-of.ts'
import { openTestTls } from '../harness/tls.ts'

export type TestProxy = {
  /** Proxy URL without credentials. */
  address: string
  /** Requested targets, as `host:port`. */
  targets: string[]
  /** Credentials of each request, as `name:password`. */
  names: string[]
  close: () => void
}

/** A forward proxy that supports only CONNECT. */
export const startHttpProxy = () => serveConnect('http', createServer(refuse))

/** The same proxy behind TLS. */
export const startHttpsProxy = async () =>
  serveConnect('https', createHttpsServer(await openTestTls(), refuse))

const refuse: RequestListener = (_request, response) => void response.writeHead(405).end()

function serveConnect(scheme: string, server: HttpServer): Promise<TestProxy> {
  const [targets, names]: [string[], string[]] = [[], []]
  server.on('connect', (request, client: Socket) => {
    targets.push(request.url ?? '')
    const credentials = (request.headers['proxy-authorization'] ?? '').replace(/^Basic /, '')
    names.push(Buffer.from(credentials, 'base64').toString())
    const { hostname, port } = new URL(`http://${request.url}`)
    join(client, connect(Number(port), hostname), 'HTTP/1.1 200 Connection Established\r\n\r\n')
  })
  return listen(scheme, server, { targets, names })
}

const BY_NAME = 0x02
const IPV4 = 0x01
const VERSION = 0x05

/**
 * A SOCKS5 proxy (RFC 1928) that requires name and password (RFC 1929) if the client offers them.
 */
export async function startSocksProxy(): Promise<TestProxy> {
  const [targets, names]: [string[], string[]] = [[], []]
  const server = createTcpServer((client) => {
    const steps = serveSocks(client, { targets, names })
    steps.next()
    client.on('data', (bytes: Buffer) => steps.next(bytes)).on('error', () => {})
  })
  return listen('socks5', server, { targets, names })
}

/** Assumes that each client message arrives in one piece, which holds on a loopback address. */
function* serveSocks(
  client: Socket,
  { targets, names }: Pick<TestProxy, 'targets' | 'names'>,
): Generator<undefined, void, Buffer> {
  const methods = (yield).subarray(2)
  const method = methods.includes(BY_NAME) ? BY_NAME : 0
  client.write(Buffer.from([VERSION, method]))
  if (method === BY_NAME) {
    const given = yield
    const name = given.subarray(2, 2 + (given[1] ?? 0))
    names.push(`${name.toString()}:${given.subarray(3 + name.length).toString()}`)
    client.write(Buffer.from([1, 0]))
  }
  const asked = yield
  const isIpv4 = asked[3] === IPV4
  const host = isIpv4
    ? asked.subarray(4, 8).join('.')
    : asked.subarray(5, 5 + (asked[4] ?? 0)).toString()
  const port = asked.readUInt16BE(asked.length - 2)
  targets.push(`${host}:${port}`)
  client.removeAllListeners('data')
  const agreed = Buffer.from([VERSION, 0, 0, IPV4, 127, 0, 0, 1, 0, 0])
  join(client, connect(port, host), agreed)
}

function join(client: Socket, target: Socket, agreed: string | Buffer) {
  target.once('connect', () => {
    client.write(agreed)
    target.pipe(client).pipe(target)
  })
  for (const [one, other] of [
    [client, target],
    [target, client],
  ] as const) {
    one.on('error', () => other.destroy()).on('close', () => other.destroy())
  }
}

async function listen(
  scheme: string,
  server: Server,
  heard: Pick<TestProxy, 'targets' | 'names'>,
): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ...heard,
    address: `${scheme}://127.0.0.1:${portOf(server)}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
