import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { openHttpsServer } from '../../testing/fakes/https-server.ts'
import {
  startHttpProxy,
  startHttpsProxy,
  startSocksProxy,
  type TestProxy,
} from '../../testing/fakes/proxies.ts'
import { atEnd } from '../../testing/harness/at-end.ts'
import { portOf } from '../../testing/harness/port-of.ts'
import { openTestTls } from '../../testing/harness/tls.ts'
import { openTunnel } from './tunnel.ts'

const CONNECT_MS = 5000

async function listen(server: Server | HttpServer): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  // Safe because a server that listens on a port has an address of this type.
  return `127.0.0.1:${portOf(server)}`
}

async function plainTarget() {
  return `http://${await listen(createHttpServer((_, response) => void response.end('reached')))}`
}

async function secureTarget(isTrusted = true) {
  const server = await openHttpsServer({ '/': { body: 'reached' } }, { isTrusted })
  atEnd(server.close)
  return server.url
}

async function talkThrough(tunnel: Duplex | null) {
  if (tunnel === null) throw new Error('there is no tunnel')
  tunnel.write('GET / HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\n\r\n')
  return text(tunnel)
}

async function opened(start: () => Promise<TestProxy>) {
  const proxy = await start()
  atEnd(proxy.close)
  return proxy
}

/** A tunnel to a target that the proxy need not reach. */
const tunnelThrough = (proxy: string, address = 'http://a.test', ms = CONNECT_MS) =>
  openTunnel({ proxy, address }, ms)

describe.each([
  ['HTTP', startHttpProxy],
  ['HTTPS', startHttpsProxy],
  ['SOCKS5', startSocksProxy],
])('through a proxy of %s', (_name, start) => {
  test.each<[string, () => Promise<string>]>([
    ['http', plainTarget],
    ['ws', plainTarget],
    ['https', secureTarget],
    ['wss', secureTarget],
  ])('a target of %s is reached', async (scheme, startTarget) => {
    const proxy = await opened(start)
    const { host } = new URL(await startTarget())
    const way = proxy.address.replace('://', '://name:pass%20word@')
    const tunnel = await openTunnel({ proxy: way, address: `${scheme}://${host}/path` }, CONNECT_MS)
    expect(await talkThrough(tunnel)).toContain('reached')
    expect([proxy.targets, proxy.names]).toEqual([[host], ['name:pass word']])
  })

  test('a host name, and the usual ports, are passed on unchanged', async () => {
    const proxy = await opened(start)
    const { port } = new URL(await secureTarget())
    const tunnel = await tunnelThrough(proxy.address, `https://localhost:${port}`)
    expect(await talkThrough(tunnel)).toContain('reached')
    for (const address of ['http://127.0.0.1/', 'wss://127.0.0.1']) {
      // Another program may listen there on this machine.
      const other = await tunnelThrough(proxy.address, address)
      other?.destroy()
    }
    expect(proxy.targets).toEqual([`localhost:${port}`, '127.0.0.1:80', '127.0.0.1:443'])
  })

  test("only the target's certificate is accepted", async () => {
    const proxy = await opened(start)
    const url = await secureTarget(false)
    expect(await openTunnel({ proxy: proxy.address, address: url }, CONNECT_MS)).toBeNull()
    expect(proxy.targets).toHaveLength(1)
  })

  test('a silent target is awaited until the given deadline', async () => {
    const proxy = await opened(start)
    const host = await listen(createServer())
    expect(await openTunnel({ proxy: proxy.address, address: `https://${host}` }, 100)).toBeNull()
  })
})

const GREETED = [5, 0]
const LOGIN_ASKED = [5, 2]
const REACHED = [5, 0, 0, 1, 127, 0, 0, 1, 0, 0]

/** A proxy that sends one reply per client message; records what it receives. */
async function startScripted(replies: readonly (readonly number[])[]) {
  const heard: number[][] = []
  const server = createServer((socket) => {
    const left = [...replies]
    socket.on('data', (bytes: Buffer) => {
      heard.push([...bytes])
      const reply = left.shift()
      if (reply === undefined) socket.end()
      else socket.write(Buffer.from(reply))
    })
  })
  return { heard, host: await listen(server) }
}

describe('SOCKS5', () => {
  test.each<[string, number[]]>([
    ['http://10.1.2.3:8080', [5, 1, 0, 1, 10, 1, 2, 3, 31, 144]],
    ['http://[2001:db8::7]', [5, 1, 0, 4, 32, 1, 13, 184, ...Array(11).fill(0), 7, 0, 80]],
    ['https://a.test', [5, 1, 0, 3, 6, ...Buffer.from('a.test'), 1, 187]],
  ])('%s is sent with its address type', async (address, asked) => {
    const { heard, host } = await startScripted([GREETED])
    expect(await tunnelThrough(`socks5://${host}`, address)).toBeNull()
    expect(heard).toEqual([[5, 1, 0], asked])
  })

  test.each<[string, number[]]>([
    ['an address', REACHED],
    ['a long address', [5, 0, 0, 4, ...Array(18).fill(9)]],
    ['a name', [5, 0, 0, 3, 2, 97, 98, 1, 1]],
  ])('bytes after a reply with %s come from the target', async (_name, reply) => {
    const { host } = await startScripted([GREETED, [...reply, ...Buffer.from('hello')]])
    const tunnel = await tunnelThrough(`socks5://${host}`)
    expect(await talkThrough(tunnel).catch(String)).toBe('hello')
  })

  test('replies may arrive byte by byte', async () => {
    const server = createServer((socket) => {
      const bytes = [...GREETED, ...REACHED, ...Buffer.from('hello')]
      const say = setInterval(() => {
        const byte = bytes.shift()
        if (byte === undefined) socket.end()
        else socket.write(Buffer.from([byte]))
      }, 2)
      socket.on('close', () => clearInterval(say))
      socket.resume()
    })
    const tunnel = await tunnelThrough(`socks5://${await listen(server)}`)
    expect(await talkThrough(tunnel)).toBe('hello')
  })

  test.each<[string, number[][]]>([
    ['another version', [[4, 0]]],
    ['no way to log in', [[5, 255]]],
    ['a way that was not offered', [[5, 1]]],
    ['a login that is refused', [LOGIN_ASKED, [1, 1]]],
    ['a target that is not allowed', [GREETED, [5, 2, 0, 1, 0, 0, 0, 0, 0, 0]]],
    ['an address of no kind', [GREETED, [5, 0, 0, 9, 0, 0, 0, 0, 0, 0]]],
    ['half a reply', [GREETED, [5, 0, 0]]],
    ['a goodbye', []],
  ])('there is no tunnel after %s', async (_name, replies) => {
    const server = createServer((socket) => {
      const left = [...replies]
      socket.on('data', () => {
        const reply = left.shift()
        if (reply !== undefined) socket.write(Buffer.from(reply))
        if (left.length === 0) socket.end()
      })
    })
    expect(await tunnelThrough(`socks5://name:word@${await listen(server)}`)).toBeNull()
  })
})

describe('HTTP', () => {
  test.each(['407 Login First', '204 No Content', '101 Switching Protocols'])(
    'there is no tunnel after %s',
    async (status) => {
      const server = createServer((socket) => {
        socket.once('data', () => void socket.write(`HTTP/1.1 ${status}\r\n\r\n`))
      })
      const way = `http://${await listen(server)}`
      expect(await tunnelThrough(way, 'http://a.test', 500)).toBeNull()
    },
  )

  test('bytes after the answer come from the target', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => void socket.end('HTTP/1.1 200 OK\r\n\r\nhello'))
    })
    const tunnel = await tunnelThrough(`http://${await listen(server)}`)
    expect(await talkThrough(tunnel)).toBe('hello')
  })

  test('a proxy behind TLS must present its own certificate', async () => {
    const names: unknown[] = []
    const server = createTlsServer(await openTestTls(), (socket: TLSSocket) => {
      names.push(Reflect.get(socket, 'servername'))
      socket.destroy()
    })
    const port = (await listen(server)).split(':')[1]
    await tunnelThrough(`https://localhost:${port}`, 'http://127.0.0.1')
    expect(names).toEqual(['localhost'])
  })
})

test.each([
  ['http://127.0.0.1:1', 'http://a.test'],
  ['socks5://127.0.0.1:1', 'http://a.test'],
  ['socks4://127.0.0.1:1', 'http://a.test'],
  ['no address', 'http://a.test'],
  ['http://%zz@127.0.0.1:1', 'http://a.test'],
  ['http://127.0.0.1:1', 'no address'],
  [`socks5://${'n'.repeat(256)}@127.0.0.1:1`, 'http://a.test'],
])('there is no tunnel through %s to %s', async (proxy, address) => {
  expect(await tunnelThrough(proxy, address)).toBeNull()
})
