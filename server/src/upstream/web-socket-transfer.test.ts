import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { TransportFailure } from '@tollgate/relay'
import { startHttpProxy, startSocksProxy } from '../../testing/fakes/proxies.ts'
import { portOf } from '../../testing/harness/port-of.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import type { Exchange, UpstreamCall } from './exchange.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { createUpstream, type Upstream } from './send.ts'

type Playing = (socket: WebSocket, message: string, headers: IncomingHttpHeaders) => void

const LIMITS = { ...UPSTREAM_LIMITS, connectMs: 300, firstByteMs: 400, idleMs: 300, tailMs: 100 }
let server: Server
let sockets: WebSocketServer
let upstream: Upstream
let address: string
let play: Playing
/** If set, answers instead of a WebSocket handshake. */
let refuse: ((socket: Duplex) => void) | null
let closes: number[]

beforeEach(async () => {
  refuse = null
  closes = []
  play = (socket) => socket.close(1000)
  server = createServer()
  sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (refuse !== null) return refuse(socket)
    sockets.handleUpgrade(request, socket, head, (opened) => {
      sockets.emit('connection', opened)
      opened.on('message', (data, isBinary) => {
        play(
          opened,
          isBinary || !Buffer.isBuffer(data) ? 'binary' : data.toString(),
          request.headers,
        )
      })
      opened.on('close', (code) => closes.push(code))
      opened.on('error', () => {})
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Safe because a server that listens on a port has an address of this type.
  address = `ws://127.0.0.1:${portOf(server)}/v3.5/chat?a=1`
  upstream = createUpstream(LIMITS)
})

afterEach(async () => {
  upstream.close()
  for (const socket of sockets.clients) socket.terminate()
  server.closeAllConnections()
  server.close()
})

type Heard = {
  head: { status: number; type: string | undefined } | null
  text: string
  end: TransportFailure | 'end' | null
}

function ask(parts: Partial<UpstreamCall> = {}, onData = (_exchange: Exchange) => {}) {
  const heard: Heard = { head: null, text: '', end: null }
  const finish = (end: Heard['end']) => {
    if (heard.end !== null) throw new Error('The sink heard of two ends.')
    heard.end = end
  }
  const body = Buffer.from('{"ask":"你好"}')
  const call: UpstreamCall = { url: address, headers: {}, body, transport: 'websocket', ...parts }
  const exchange = upstream.send(call, {
    head: (status, headers) => (heard.head = { status, type: headers['content-type'] }),
    data: (chunk) => {
      heard.text += String(chunk)
      onData(exchange)
    },
    end: () => finish('end'),
    fail: finish,
  })
  const ended = () => waitUntil(async () => heard.end !== null).then(() => heard)
  return { heard, exchange, ended }
}

const OPENED = { status: 200, type: 'application/x-ndjson' }

describe('an answer', () => {
  test('is one line for each message, until the server closes', async () => {
    const asked: unknown[] = []
    play = (socket, message, headers) => {
      asked.push(message, headers['x-key'])
      socket.send('{"a":1}')
      socket.send('{\r\n"b":\n2}')
      socket.send(Buffer.from('{"c":3}'), { binary: true })
      socket.close(1000)
    }
    const { ended } = ask({ headers: { 'x-key': 'k' } })
    const text = '{"a":1}\n{\r "b": 2}\n{"c":3}\n'
    expect(await ended()).toEqual({ head: OPENED, text, end: 'end' })
    expect(asked).toEqual(['{"ask":"你好"}', 'k'])
  })

  test('ends with its last message, even if the server does not close', async () => {
    play = (socket) => {
      socket.send('{"status":1}')
      socket.send('{"status":2}')
      socket.send('{"status":3}')
    }
    const { ended } = ask({ isLastMessage: (message) => String(message).includes('2') })
    expect(await ended()).toMatchObject({ text: '{"status":1}\n{"status":2}\n', end: 'end' })
    await waitUntil(async () => closes.length > 0)
    expect(closes).toEqual([1000])
  })

  test('is collected if no stream was requested, and decoded as it arrives otherwise', async () => {
    play = (socket) => {
      socket.send('{"a":1}')
      socket.send('{"b":2}')
      socket.close()
    }
    const decode = (body: Buffer) => Buffer.from(`<${String(body)}>`)
    const wholeOnly = { decode, createStreamDecoder: null, decodesJson: false }
    expect(await ask({ decoder: wholeOnly }).ended()).toEqual({
      head: { status: 200, type: 'application/json' },
      text: '<{"a":1}\n{"b":2}\n>',
      end: 'end',
    })
    const chunks = { form: 'chunks', push: (it: Buffer) => [decode(it)], end: () => [] } as const
    const decoder = { ...wholeOnly, createStreamDecoder: () => chunks }
    expect(await ask({ decoder }).ended()).toEqual({
      head: { status: 200, type: 'text/event-stream' },
      text: '<{"a":1}\n><{"b":2}\n>',
      end: 'end',
    })
  })

  test('pauses with its reader', async () => {
    play = (socket) => {
      socket.send('{"a":1}')
      setTimeout(() => {
        socket.send('{"b":2}')
        socket.close(1000)
      }, 20)
    }
    const { heard, exchange, ended } = ask({}, (running) => running.pause())
    await waitUntil(async () => heard.text !== '')
    await pause(LIMITS.idleMs + 100)
    expect(heard).toMatchObject({ text: '{"a":1}\n', end: null })
    exchange.resume()
    await waitUntil(async () => heard.text.includes('b'))
    exchange.resume()
    expect(await ended()).toMatchObject({ end: 'end' })
  })
})

/** A sink that throws in `part`; resolves with the reported failure. */
function stumbleOver(part: 'data' | 'end', call: Partial<UpstreamCall> = {}) {
  const stumble = (at: string) => {
    if (at === part) throw new Error(at)
  }
  return new Promise<TransportFailure>((resolve) => {
    const sink = {
      head: () => {},
      data: () => stumble('data'),
      end: () => stumble('end'),
      fail: resolve,
    }
    upstream.send({ url: address, headers: {}, body: null, transport: 'websocket', ...call }, sink)
  })
}

describe('an error of its sink ends the answer', () => {
  beforeEach(() => {
    sockets.on('connection', (socket) => {
      socket.send('{"status":2}')
      socket.close(1000)
    })
  })

  test.each<[string, 'data' | 'end', Partial<UpstreamCall>]>([
    ['a message', 'data', {}],
    ['the end', 'end', {}],
    ['the end behind the last message', 'end', { isLastMessage: () => true }],
  ])('%s', async (_name, part, call) => {
    expect(await stumbleOver(part, call)).toBe('malformed')
  })

  test.each<['data' | 'end']>([['data'], ['end']])('the %s of a refusal', async (part) => {
    refuse = refusal('401 Unauthorized', 'no')
    expect(await stumbleOver(part)).toBe('malformed')
  })
})

const refusal = (head: string, body: string) => (socket: Duplex) =>
  void socket.end(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)

describe('a refused opening', () => {
  test('is an answer with its status and body', async () => {
    const body = '{"message":"HMAC signature cannot be verified"}'
    refuse = refusal('401 Unauthorized\r\ncontent-type: application/json', body)
    const head = { status: 401, type: 'application/json' }
    expect(await ask().ended()).toEqual({ head, text: body, end: 'end' })
    const decode = () => Buffer.from('decoded')
    const decoder = { decode, createStreamDecoder: null, decodesJson: false }
    expect(await ask({ decoder }).ended()).toEqual({ head, text: body, end: 'end' })
  })

  test('is not decompressed', async () => {
    refuse = refusal('403 Forbidden\r\ncontent-encoding: gzip', 'packed')
    expect(await ask().ended()).toMatchObject({ head: { status: 403 }, text: '', end: 'end' })
    refuse = refusal('200 OK\r\ncontent-encoding: gzip', 'packed')
    expect(await ask().ended()).toMatchObject({ text: '', end: 'packed' })
  })

  test('may break off', async () => {
    refuse = (socket) => {
      socket.write('HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\nhalf')
      setTimeout(() => socket.destroy(), 20)
    }
    expect(await ask().ended()).toMatchObject({ head: { status: 500 }, end: 'closed_early' })
  })
})

describe('a failure', () => {
  test.each<[string, TransportFailure, (socket: Duplex) => void]>([
    ['a reset', 'reset', (socket) => void socket.destroy()],
    ['silence', 'connect_timeout', () => {}],
    ['something else', 'malformed', (socket) => void socket.end('what?\r\n\r\n')],
    [
      'an opening that proves nothing',
      'malformed',
      (socket) =>
        void socket.write('HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    ],
  ])('to the opening: %s', async (_name, end, behave) => {
    refuse = behave
    expect(await ask().ended()).toEqual({ head: null, text: '', end })
  })

  test.each(['ws://127.0.0.1:1/', 'not an address', ''])('at %j', async (url) => {
    expect(await ask({ url }).ended()).toEqual({ head: null, text: '', end: 'connect' })
  })
})

describe('an answer that fails', () => {
  test.each<[string, TransportFailure, Playing]>([
    ['a reset', 'closed_early', (socket) => socket.terminate()],
    ['a close that is none in order', 'closed_early', (socket) => socket.close(1011, 'no')],
    ['silence', 'first_byte_timeout', () => {}],
    ['silence between messages', 'idle_timeout', (socket) => socket.send('{}')],
    ['a message too large', 'too_large', (socket) => socket.send('x'.repeat(1024 * 1024 + 1))],
  ])('by %s', async (_name, end, behave) => {
    play = behave
    expect(await ask().ended()).toMatchObject({ head: OPENED, end })
    await waitUntil(async () => sockets.clients.size === 0)
  })

  test('by taking too long, although it never pauses', async () => {
    play = (socket) => {
      const talk = setInterval(() => socket.send('{}'), 20)
      socket.on('close', () => clearInterval(talk))
    }
    upstream.close()
    upstream = createUpstream({ ...LIMITS, totalMs: 500 })
    expect(await ask().ended()).toMatchObject({ end: 'total_timeout' })
  })

  test('because the gateway closes', async () => {
    play = (socket) => socket.send('{}')
    const { heard, ended } = ask()
    await waitUntil(async () => heard.text !== '')
    upstream.close()
    expect(await ended()).toMatchObject({ end: 'closed_early' })
  })
})

describe('through a proxy', () => {
  test.each([
    ['HTTP', startHttpProxy],
    ['SOCKS5', startSocksProxy],
  ])('everything is sent through it, and nothing around it: %s', async (_name, start) => {
    const proxy = await start()
    try {
      let asked = 0
      play = (socket, message) => {
        asked += 1
        socket.send(message)
        socket.close(1000)
      }
      const way = proxy.address.replace('://', '://me:secret@')
      const { ended } = ask({ proxy: way })
      expect(await ended()).toEqual({ head: OPENED, text: '{"ask":"你好"}\n', end: 'end' })
      expect([proxy.targets, proxy.names]).toEqual([[new URL(address).host], ['me:secret']])
      proxy.close()
      expect(await ask({ proxy: way }).ended()).toEqual({ head: null, text: '', end: 'connect' })
      expect(asked).toBe(1)
    } finally {
      proxy.close()
    }
  })

  test('a reader that stops meanwhile prevents the opening', async () => {
    const replies = [
      [5, 0],
      [5, 0, 0, 1, 127, 0, 0, 1, 0, 0],
    ]
    let asked = 0
    let isOver = false
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    const proxy = createTcpServer((socket) => {
      socket.on('close', () => (isOver = true)).on('error', () => {})
      socket.on('data', () => {
        asked += 1
        void left.then(() => socket.write(Buffer.from(replies.shift() ?? [])))
      })
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    try {
      // Safe because a server that listens on a port has an address of this type.
      const way = `socks5://127.0.0.1:${portOf(proxy)}`
      const { heard, exchange } = ask({ proxy: way })
      await waitUntil(async () => asked === 1)
      exchange.abort()
      leave()
      await waitUntil(async () => isOver)
      // Nothing was sent to the target behind the proxy.
      expect([heard.end, asked, replies.length]).toEqual([null, 2, 0])
    } finally {
      proxy.close()
    }
  })
})

describe('a reader that stops', () => {
  test('receives nothing more, and the connection is closed', async () => {
    play = (socket) => {
      const talk = setInterval(() => socket.send('{}'), 5)
      socket.on('close', () => clearInterval(talk))
    }
    const { heard, exchange } = ask()
    await waitUntil(async () => heard.text !== '')
    exchange.abort()
    const { text } = heard
    await waitUntil(async () => closes.length > 0)
    expect(heard).toEqual({ head: OPENED, text, end: null })
    expect(closes).toEqual([1006])
  })

  test('may have stopped before the opening', async () => {
    const { heard, exchange } = ask()
    exchange.abort()
    const later = ask()
    await pause(1)
    later.exchange.release()
    await pause(50)
    expect([heard.end, later.heard.end]).toEqual([null, null])
    expect(sockets.clients.size).toBe(0)
  })

  test('with a normal close waits no longer than the tail of an answer', async () => {
    play = (socket) => socket.send('{}')
    const { heard, exchange } = ask()
    await waitUntil(async () => heard.text !== '')
    exchange.release()
    await waitUntil(async () => closes.length > 0)
    expect(closes).toEqual([1000])
    play = (socket) => {
      socket.send('{}')
      socket.pause()
    }
    const deaf = ask()
    await waitUntil(async () => deaf.heard.text !== '')
    deaf.exchange.release()
    await pause(LIMITS.tailMs + 100)
    for (const socket of sockets.clients) socket.resume()
    await waitUntil(async () => closes.length > 1)
    expect(deaf.heard.end).toBeNull()
  })
})
