import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  type FastPathWorld,
  get,
  openFastPath,
  post,
} from '../../../testing/worlds/fast-path-world.ts'
import type { ClientResponse } from '../../gateway/http-types.ts'
import type { FastPathOptions } from './fast-path-server.ts'

let world: FastPathWorld

const LINE = 'POST /v1/a HTTP/1.1\r\nHost: x\r\n'

describe('requests that two parsers might read differently', () => {
  it.each([
    [
      'a length and chunks',
      `${LINE}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `${LINE}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
    ['NUL', `${LINE}X: a\0b\r\nContent-Length: 5\r\n\r\nhello`],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00'],
  ])('%s: the answer is the one of Node.js alone', async (_name, text) => {
    world = await openFastPath()
    const first = world.open()
    first.socket.write(text, 'latin1')
    const second = world.open()
    second.socket.write(get('/v1/before') + text, 'latin1')
    await Promise.all([first.closed, second.closed])
    expect(first.received()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(second.received()).toContain('GET /v1/before .HTTP/1.1 400 Bad Request\r\n')
    expect(world.seen).toMatchObject([{ reader: 'front', url: '/v1/before' }])
  })

  it('HTTP/1.0 is answered by Node.js, and closed', async () => {
    world = await openFastPath()
    const { socket, closed, received: said } = world.open()
    socket.write('GET /v1/a HTTP/1.0\r\n\r\n')
    await closed
    expect(said()).toContain('GET /v1/a .')
    expect(world.seen).toMatchObject([{ reader: 'node' }])
  })

  it('a body with Expect: 100-continue is requested by Node.js', async () => {
    world = await openFastPath()
    const { socket, waitFor: hears } = world.open()
    socket.write(`${LINE}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`)
    await hears('HTTP/1.1 100 Continue')
    socket.write('hello')
    await hears('POST /v1/a hello.')
  })

  it('chunked bodies are read by Node.js', async () => {
    world = await openFastPath()
    const { socket, waitFor: hears } = world.open()
    socket.write(`${LINE}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)
    await pause(10)
    socket.write('0\r\n\r\n')
    await hears('POST /v1/a hello.')
    expect(world.seen).toMatchObject([{ reader: 'node' }])
  })

  it('an upgrade is passed on with the bytes after it', async () => {
    world = await openFastPath()
    world.server.on('upgrade', (request, socket, head) => {
      socket.end(`${request.url} ${head.toString()}`)
    })
    const { socket, closed, received: said } = world.open()
    socket.write(`${get('/v1/a', 'Connection: upgrade', 'Upgrade: websocket')}more`)
    await closed
    expect(said()).toBe('/v1/a more')
  })
})

it('a head that arrives byte by byte is limited by the timeouts of Node.js', async () => {
  world = await openFastPath(undefined, { headersTimeout: 300, connectionsCheckingInterval: 50 })
  const { socket, closed, received: said } = world.open()
  const text = get('/v1/a', `X: ${'x'.repeat(1000)}`)
  const timer = setInterval(() => socket.write(text[socket.bytesWritten] ?? ''), 10)
  await closed
  clearInterval(timer)
  expect(said()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
})

it('connections that say nothing, or are not asked again, are closed in time', async () => {
  const closedAfter = async (options: Partial<FastPathOptions>, text: string) => {
    const { closed, received: said, socket } = (await openFastPath(undefined, options)).open()
    socket.write(text)
    await closed
    expect(said() === '').toBe(text === '')
  }
  await Promise.all([
    closedAfter({ headersTimeout: 1000 }, ''),
    closedAfter({ keepAliveTimeout: 1000 }, get('/v1/a')),
  ])
})

describe('a server that is closing', () => {
  it('closes idle connections, and others after their last answer', async () => {
    const responses: ClientResponse[] = []
    world = await openFastPath(
      (request, response) => {
        if (request.url === '/v1/now') response.end('now')
        else responses.push(response)
      },
      { keepAliveTimeout: 600_000 },
    )
    const [idle, silent, running, begun] = [world.open(), world.open(), world.open(), world.open()]
    idle.socket.write(get('/v1/now'))
    running.socket.write(get('/v1/late'))
    await idle.waitFor('now')
    await waitUntil(async () => responses.length === 1)
    begun.socket.write(get('/v1/stream'))
    await waitUntil(async () => responses.length === 2)
    const [late, stream] = responses
    stream?.writeHead(200).write(Buffer.from('begun'))
    await begun.waitFor('begun')

    let isClosed = false
    world.server.close(() => (isClosed = true))
    await Promise.all([idle.closed, silent.closed])
    late?.end('late')
    await running.closed
    expect(running.received()).toMatch(/Connection: close\r\n[^]*late$/)
    expect(isClosed).toBe(false)
    stream?.end()
    await begun.closed
    expect(begun.received()).toMatch(/begun\r\n0\r\n\r\n$/)
    await waitUntil(async () => isClosed)
  })

  it('aborts everything on demand', async () => {
    world = await openFastPath(() => {})
    const [ours, nodes, silent] = [world.open(), world.open(), world.open()]
    ours.socket.write(post('/v1/a', 'hello'))
    nodes.socket.write(get('/other'))
    await waitUntil(async () => world.seen.length >= 1)
    world.server.close()
    world.server.closeAllConnections()
    await Promise.all([ours.closed, nodes.closed, silent.closed])
  })
})

it('a full server accepts no more connections', async () => {
  world = await openFastPath()
  world.server.maxConnections = 1
  const first = world.open()
  first.socket.write(get('/v1/a'))
  await first.waitFor('GET /v1/a .')
  const second = world.open()
  await second.closed
  first.socket.write(get('/v1/b'))
  await first.waitFor('GET /v1/b .')
})
