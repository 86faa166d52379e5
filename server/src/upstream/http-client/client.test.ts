import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPeers, type Peers } from '../../../testing/fakes/byte-peers.ts'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import type { AnswerSink } from '../exchange.ts'
import { createHttpClient, type HttpClient } from './client.ts'
import { httpRequest } from './http-exchange.ts'

const MEGABYTE = 1024 * 1024
/** Longer than any test waits, except those of the deadline itself. */
const CONNECT_MS = 10_000
/** The size of one read. */
const READ_BYTES = 64 * 1024
const SHORT = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

let client: HttpClient
let peers: Peers

beforeEach(() => {
  client = createHttpClient({ connectMs: CONNECT_MS })
  peers = createPeers()
})

afterEach(async () => {
  client.close()
  await peers.close()
})

/** Replaces the client by another. */
function reopen(deps: Parameters<typeof createHttpClient>[0]) {
  client.close()
  client = createHttpClient(deps)
}

type Route = { origin: string; proxy?: string | null }

const requestTo = ({ origin, proxy = null }: Route, body: Buffer | null = null) =>
  httpRequest({
    origin,
    proxy,
    target: '/v1/models',
    host: 'somewhere',
    headers: {},
    body,
  })

type Heard = { status: number; text: string; bytes: number; end: string }

/** `onHead` and `onData` run synchronously within the sink. */
function ask(
  route: Route,
  { body, onHead, onData }: { body?: Buffer; onHead?: () => void; onData?: () => void } = {},
) {
  const heard: Heard = { status: 0, text: '', bytes: 0, end: '' }
  const done = Promise.withResolvers<Heard>()
  const end = (how: string) => {
    expect(heard.end).toBe('')
    heard.end = how
    done.resolve(heard)
  }
  const sink: AnswerSink = {
    head: (status) => {
      heard.status = status
      onHead?.()
    },
    data: (chunk) => {
      heard.bytes += chunk.length
      if (heard.bytes < MEGABYTE) heard.text += chunk.toString()
      onData?.()
    },
    end: () => end('end'),
    fail: end,
  }
  const exchange = client.send(requestTo(route, body), sink)
  return { heard, exchange, ended: done.promise }
}

describe('connections are reused', () => {
  it('one for sequential requests, as many as there are concurrent ones', async () => {
    const peer = await peers.open((socket) => void setTimeout(() => socket.write(SHORT), 20))
    for (let i = 0; i < 3; i += 1) {
      expect(await ask(peer).ended).toMatchObject({ status: 200, text: 'ok', end: 'end' })
    }
    expect(peer.sockets).toHaveLength(1)
    await Promise.all([ask(peer).ended, ask(peer).ended, ask(peer).ended])
    expect(peer.sockets).toHaveLength(3)
    await Promise.all([ask(peer).ended, ask(peer).ended])
    expect(peer.sockets).toHaveLength(3)
  })

  it.each([
    [
      'the answer says that it is closed',
      SHORT.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    ],
    [
      'they are kept for a moment only',
      SHORT.replace('\r\n\r\n', '\r\nKeep-Alive: timeout=2\r\n\r\n'),
    ],
    [
      'there are bytes behind the answer',
      `${SHORT}HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`,
    ],
  ])('but not after %s', async (_name, text) => {
    const peer = await peers.open((socket) => socket.write(text))
    expect(await ask(peer).ended).toMatchObject({ text: 'ok', end: 'end' })
    await waitUntil(async () => peer.sockets[0]?.destroyed === true)
    expect(await ask(peer).ended).toMatchObject({ text: 'ok', end: 'end' })
    expect(peer.sockets).toHaveLength(2)
  })

  it('nor beyond their expected keep-alive time', async () => {
    const clock = new FakeClock()
    reopen({ connectMs: CONNECT_MS, clock })
    const text = SHORT.replace('\r\n\r\n', '\r\nKeep-Alive: timeout=3\r\n\r\n')
    const peer = await peers.open((socket) => socket.write(text))
    await ask(peer).ended
    await clock.advance(999)
    await ask(peer).ended
    expect(peer.sockets).toHaveLength(1)
    await clock.advance(1000)
    await ask(peer).ended
    expect(peer.sockets).toHaveLength(2)
  })

  it('and not after unexpected bytes, which would answer the next request', async () => {
    const peer = await peers.open((socket) => socket.write(SHORT))
    expect(await ask(peer).ended).toMatchObject({ text: 'ok' })
    peer.sockets[0]?.write(SHORT.replace('ok', 'no'))
    await waitUntil(async () => peer.sockets[0]?.destroyed === true)
    expect(await ask(peer).ended).toMatchObject({ text: 'ok' })
  })

  it('and not if the answer arrived before the request was sent', async () => {
    const peer = await peers.openServer(
      createServer((socket) => {
        socket.once('data', () => {
          socket.pause()
          socket.write(SHORT)
        })
      }),
      'http',
    )
    expect(await ask(peer, { body: Buffer.alloc(64 * MEGABYTE) }).ended).toMatchObject({
      text: 'ok',
    })
    await waitUntil(async () => {
      peer.sockets[0]?.resume()
      return peer.sockets[0]?.destroyed === true
    })
    const { sockets } = peer
    void ask(peer)
    await waitUntil(async () => sockets.length === 2)
  })

  it('nor if a proxy sends the answer with the tunnel, before the request', async () => {
    const { origin: proxy, sockets } = await peers.open((socket, count) => {
      if (count === 1) socket.write(`HTTP/1.1 200 OK\r\n\r\n${SHORT}`)
    })
    expect(await ask({ origin: 'http://127.0.0.1:1', proxy }).ended).toMatchObject({ text: 'ok' })
    await waitUntil(async () => sockets[0]?.destroyed === true)
  })

  it('the server may close them while they are idle', async () => {
    const peer = await peers.open((socket) => socket.write(SHORT))
    expect(await ask(peer).ended).toMatchObject({ text: 'ok' })
    peer.sockets[0]?.end()
    await waitUntil(async () => peer.sockets[0]?.destroyed === true)
    expect(await ask(peer).ended).toMatchObject({ text: 'ok', end: 'end' })
  })

  it('beyond the maximum, requests wait for one', async () => {
    reopen({ connectMs: CONNECT_MS, connectionsMax: 2 })
    const peer = await peers.open((socket) => void setTimeout(() => socket.write(SHORT), 30))
    const asked = Array.from({ length: 6 }, () => ask(peer))
    asked[4]?.exchange.destroy()
    const ends = await Promise.all(asked.filter((_, i) => i !== 4).map(({ ended }) => ended))
    expect(ends.map(({ end }) => end)).toEqual(Array(5).fill('end'))
    expect(asked[4]?.heard).toMatchObject({ status: 0, end: '' })
    expect(peer.sockets).toHaveLength(2)
  })

  it('a waiting request is sent when a connection breaks', async () => {
    reopen({ connectMs: CONNECT_MS, connectionsMax: 1 })
    const peer = await peers.open((socket) => {
      if (peers.opened[0]?.sockets.length === 1) socket.destroy()
      else socket.write(SHORT)
    })
    const [first, second] = [ask(peer), ask(peer)]
    expect(await first.ended).toMatchObject({ end: 'reset' })
    expect(await second.ended).toMatchObject({ text: 'ok', end: 'end' })
  })
})

it.each([10, 70 * 1024, 3 * MEGABYTE])('a body of %i bytes arrives unchanged', async (length) => {
  const sent = Buffer.alloc(length, 'abcdefg')
  let come = ''
  const peer = await peers.openServer(
    createServer((socket) => {
      socket.on('data', (bytes: Buffer) => {
        come += bytes.toString('latin1')
        if (come.length >= come.indexOf('\r\n\r\n') + 4 + length) socket.write(SHORT)
      })
    }),
    'http',
  )
  await ask(peer, { body: sent }).ended
  const [head = '', ...body] = come.split('\r\n\r\n')
  expect(head.split('\r\n')).toEqual([
    'POST /v1/models HTTP/1.1',
    'host: somewhere',
    'connection: keep-alive',
    `content-length: ${length}`,
  ])
  expect(body.join('\r\n\r\n') === sent.toString()).toBe(true)
})

describe('failures', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'
  it.each([
    ['a reset before the answer', 'reset', (socket: Socket) => socket.resetAndDestroy()],
    ['an end before the answer', 'reset', (socket: Socket) => socket.end()],
    ['an end in the head', 'reset', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\n')],
    ['an end in the body', 'closed_early', (socket: Socket) => socket.end(`${HEAD}abc`)],
    ['nonsense', 'malformed', (socket: Socket) => socket.write('nonsense\r\n\r\n')],
    [
      'an endless head',
      'too_large',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}`),
    ],
  ])('%s is reported as %s', async (_name, failure, answer) => {
    const peer = await peers.open(answer)
    expect(await ask(peer).ended).toMatchObject({ end: failure })
    await waitUntil(async () => peer.sockets[0]?.destroyed === true)
  })

  it('a reset in the body', async () => {
    const peer = await peers.open((socket) => socket.write(`${HEAD}abc`))
    const { heard, ended } = ask(peer)
    await waitUntil(async () => heard.text === 'abc')
    peer.sockets[0]?.resetAndDestroy()
    expect(await ended).toMatchObject({ status: 200, text: 'abc', end: 'closed_early' })
  })

  it("an answer delimited by the connection's close ends with it", async () => {
    const peer = await peers.open((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'))
    expect(await ask(peer).ended).toMatchObject({ text: 'all of it', end: 'end' })
  })

  it('and a reset is not such an end', async () => {
    const peer = await peers.open((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhalf of it')
      setTimeout(() => socket.resetAndDestroy(), 20)
    })
    expect(await ask(peer).ended).toMatchObject({ text: 'half of it', end: 'closed_early' })
  })

  it('a refused connection', async () => {
    const peer = await peers.open(() => {})
    peer.server.close()
    expect(await ask(peer).ended).toMatchObject({ end: 'connect' })
  })

  it('a server that is silent during the TLS handshake', async () => {
    reopen({ connectMs: 100 })
    const { origin } = await peers.open(() => {})
    const silent = { origin: origin.replace('http:', 'https:') }
    expect(await ask(silent).ended).toMatchObject({ end: 'connect_timeout' })
  })

  it.each(['data', 'end'] as const)(
    'a sink that throws in %s ends its own request only',
    async (event) => {
      const peer = await peers.open((socket) => socket.write(SHORT))
      const failed = Promise.withResolvers<string>()
      const sink: AnswerSink = {
        head: () => {},
        data: () => {},
        end: () => failed.resolve('end'),
        fail: failed.resolve,
        [event]: () => {
          throw new Error('a mistake of ours')
        },
      }
      client.send(requestTo(peer), sink)
      expect(await failed.promise).toBe('malformed')
      expect(await ask(peer).ended).toMatchObject({ text: 'ok' })
    },
  )

  it('and at its end not the next request on the same connection', async () => {
    reopen({ connectMs: 1000, connectionsMax: 1 })
    const peer = await peers.open((socket) => socket.write(SHORT))
    const sink: AnswerSink = {
      head: () => {},
      data: () => {},
      end: () => {
        throw new Error('a mistake of ours')
      },
      fail: () => {},
    }
    client.send(requestTo(peer), sink)
    expect(await ask(peer).ended).toMatchObject({ text: 'ok', end: 'end' })
  })
})

it('keeps nothing of a request that was written', async () => {
  const peer = await peers.open((socket) => socket.write(SHORT))
  for (const body of [Buffer.from('{}'), Buffer.alloc(MEGABYTE)]) {
    const { exchange, ended } = ask(peer, { body })
    await ended
    expect(exchange.request).toMatchObject({ bytes: Buffer.alloc(0), largeBody: null })
  }
})

it.each(['open', 'openSecure'] as const)('does not read while it is paused: %s', async (open) => {
  const size = 64 * MEGABYTE
  const peer = await peers[open]((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`)
    socket.write(Buffer.alloc(size))
  })
  const { heard, exchange, ended } = ask(peer, { onHead: () => exchange.pause() })
  await waitUntil(async () => heard.status === 200)
  await sleep(100)
  // What arrived with the head is still delivered.
  expect(heard.bytes).toBeLessThan(READ_BYTES)
  exchange.resume()
  expect(await ended).toMatchObject({ bytes: size, end: 'end' })
})

it('emits nothing once it is destroyed, and closes its connection', async () => {
  const peer = await peers.open((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nand so on'))
  const { heard, exchange } = ask(peer)
  await waitUntil(async () => heard.text !== '')
  exchange.destroy()
  await waitUntil(async () => peer.sockets[0]?.destroyed === true)
  expect(heard.end).toBe('')
  const early = ask(peer)
  early.exchange.destroy()
  const next = ask(peer)
  await waitUntil(async () => next.heard.text !== '')
  expect(early.heard).toMatchObject({ status: 0, end: '' })
})

it('emits nothing of buffered data once it is destroyed', async () => {
  const peer = await peers.open((socket) => {
    socket.write(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n',
    )
  })
  const { heard, exchange } = ask(peer, { onData: () => exchange.destroy() })
  await waitUntil(async () => peer.sockets[0]?.destroyed === true)
  expect(heard).toMatchObject({ text: 'a', end: '' })
})

it('lets running requests finish when it is closed, and sends no more', async () => {
  reopen({ connectMs: 10_000, connectionsMax: 2 })
  const peer = await peers.open((socket, count) => {
    if (count === 1) socket.write('HTTP/1.1 200 OK\r\n\r\nand so on')
  })
  const talking = ask(peer)
  await waitUntil(async () => talking.heard.text !== '')
  const [silent, waiting] = [ask(peer), ask(peer)]
  client.close()
  const ends = await Promise.all([talking.ended, silent.ended, waiting.ended])
  expect(ends.map(({ end }) => end)).toEqual(['closed_early', 'connect', 'reset'])
})

describe('over TLS', () => {
  it('reuses its connections, and resumes its session', async () => {
    const resumed: boolean[] = []
    const peer = await peers.openSecure((socket, count) => {
      socket.write(count < 2 ? SHORT : SHORT.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
    })
    peer.server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()))
    for (let i = 0; i < 4; i += 1) expect(await ask(peer).ended).toMatchObject({ text: 'ok' })
    expect(resumed).toEqual([false, true])
  })

  it.each([
    ['an untrusted certificate', false, '127.0.0.1'],
    ['a certificate for another name', true, '127.0.0.2'],
  ])('%s does not connect', async (_name, isTrusted, host) => {
    const secure = await peers.openSecure((socket) => socket.write(SHORT), isTrusted)
    const peer = await peers.openAt(host, secure)
    expect(await ask(peer).ended).toMatchObject({ status: 0, end: 'connect' })
  })
})
