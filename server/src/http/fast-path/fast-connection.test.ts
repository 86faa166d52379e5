import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  echo,
  type FastPathWorld,
  get,
  openFastPath,
  post,
} from '../../../testing/worlds/fast-path-world.ts'
import type { ClientRequest, ClientResponse } from '../../gateway/http-types.ts'

let world: FastPathWorld

const readers = () => world.seen.map(({ reader }) => reader)
const urls = () => world.seen.map(({ url }) => url)
const countOf = (text: string, part: string) => text.split(part).length - 1

type Asked = { request: ClientRequest; response: ClientResponse }

/** A server whose answers are written by the test. */
async function openByHand() {
  const asked: Asked[] = []
  world = await openFastPath((request, response) => void asked.push({ request, response }))
  const nth = async (index: number): Promise<Asked> => {
    await waitUntil(async () => asked.length > index)
    const found = asked[index]
    if (found === undefined) throw new Error('not asked')
    return found
  }
  return { asked, nth, client: world.open() }
}

describe('one connection', () => {
  it('carries several requests, one after the other', async () => {
    world = await openFastPath()
    const { socket, waitFor: hears, received: said } = world.open()
    for (const body of ['one', '', 'three']) {
      socket.write(post(`/v1/${body}`, body))
      await hears(`POST /v1/${body} ${body}.`)
    }
    expect(readers()).toEqual(['front', 'front', 'front'])
    expect(countOf(said(), 'Connection: keep-alive\r\nKeep-Alive: timeout=')).toBe(3)
    expect(said()).toMatch(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/)
  })

  it('takes pipelined requests in order', async () => {
    world = await openFastPath()
    const { socket, waitFor: hears, received: said } = world.open()
    const paths = Array.from({ length: 200 }, (_, at) => `/v1/${at}`)
    socket.write(paths.map((path, at) => (at % 2 ? get(path) : post(path, `${at}`))).join(''))
    await hears('GET /v1/199 .')
    expect(urls()).toEqual(paths)
    expect(new Set(readers())).toEqual(new Set(['front']))
    expect([...said().matchAll(/(?:GET|POST) (\/v1\/\d+)/g)].map(([, path]) => path)).toEqual(paths)
  })

  it('reads the same wherever the bytes are split, except a split head, which goes to Node.js', async () => {
    world = await openFastPath()
    const text = post('/v1/a', 'hello') + get('/v1/b')
    for (let at = 1; at < text.length; at += 1) {
      const { socket, waitFor: hears, received: said } = world.open()
      socket.write(text.slice(0, at), 'latin1')
      await pause(1)
      socket.write(text.slice(at), 'latin1')
      await hears('POST /v1/a hello.', 'GET /v1/b .')
      expect(countOf(said(), 'HTTP/1.1 200 OK')).toBe(2)
      socket.destroy()
    }
    expect(readers()).toContain('node')
    expect(world.seen).toHaveLength(2 * (text.length - 1))
  })

  it('is handed to Node.js with all that waits, in order, and stays there', async () => {
    world = await openFastPath()
    const { socket, received: said, waitFor: hears } = world.open()
    const paths = Array.from({ length: 3000 }, (_, at) => `/other/${at}`)
    socket.write(get('/v1/a') + paths.map((path) => get(path, `X: ${'x'.repeat(100)}`)).join(''))
    await hears('GET /other/2999 .')
    expect(urls()).toEqual(['/v1/a', ...paths])
    expect(countOf(said(), 'HTTP/1.1 200 OK')).toBe(3001)
    socket.write(get('/v1/c'))
    await hears('GET /v1/c .')
    expect([readers()[0], new Set(readers().slice(1))]).toEqual(['front', new Set(['node'])])
  })

  it('starts the next request, with either parser, only after the answer has ended', async () => {
    const { asked, nth, client } = await openByHand()
    client.socket.write(get('/v1/a') + get('/other'))
    const { response } = await nth(0)
    response.writeHead(200).write(Buffer.from('first'))
    await client.waitFor('first')
    await pause(20)
    expect(asked).toHaveLength(1)
    response.end()
    const next = await nth(1)
    next.response.end('second')
    await client.waitFor('second')
  })

  it("is closed on its client's request, and later requests are not answered", async () => {
    world = await openFastPath()
    const { socket, closed, received: said } = world.open()
    socket.write(get('/v1/a', 'Connection: close') + get('/v1/b'))
    await closed
    expect(said()).toContain('Connection: close\r\n')
    expect(urls()).toEqual(['/v1/a'])
  })

  it("is closed on the answer's request", async () => {
    const { nth, client } = await openByHand()
    client.socket.write(post('/v1/a', 'hello') + get('/v1/b'))
    const { response } = await nth(0)
    response.writeHead(413, { connection: 'close' }).end('no')
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/)
    expect(countOf(client.received(), 'Connection: close')).toBe(1)
    expect(countOf(client.received(), 'HTTP/1.1')).toBe(1)
  })

  it('ends when its client closes it', async () => {
    world = await openFastPath()
    const { socket, waitFor: hears, closed } = world.open()
    socket.write(get('/v1/a'))
    await hears('GET /v1/a .')
    socket.end()
    await closed
    await waitUntil(async () => (await connectionCount()) === 0)
  })
})

const connectionCount = () =>
  new Promise<number>((resolve) => world.server.getConnections((_error, count) => resolve(count)))

describe('a body', () => {
  it('followed by more bytes ends at its length', async () => {
    world = await openFastPath()
    const { socket, waitFor: hears } = world.open()
    socket.write(`${post('/v1/a', 'hello')}more`)
    await hears('POST /v1/a hello.', 'HTTP/1.1 400 Bad Request')
    expect(world.seen).toMatchObject([{ reader: 'front', body: 'hello' }])
  })

  it('that is not read is not taken for requests when the answer has ended', async () => {
    const { asked, nth, client } = await openByHand()
    const body = get('/v1/smuggled').repeat(10_000)
    client.socket.write(post('/v1/a', body))
    const { response } = await nth(0)
    response.writeHead(401).end('who?')
    await client.waitFor('who?')
    client.socket.write(get('/v1/b'))
    const next = await nth(1)
    expect(next.request.url).toBe('/v1/b')
    next.response.end('b')
    await client.waitFor('b')
    expect(asked).toHaveLength(2)
  })

  it('that is not read is not read from the socket', async () => {
    const { nth, client } = await openByHand()
    client.socket.write(post('/v1/a', 'x'.repeat(64 * 1024 * 1024)))
    const { request } = await nth(0)
    await pause(200)
    expect(client.socket.writableLength).toBeGreaterThan(32 * 1024 * 1024)
    let bytes = 0
    request.on('data', (chunk) => (bytes += chunk.length))
    const ended = new Promise<void>((resolve) => request.on('end', resolve))
    request.resume()
    await ended
    expect(bytes).toBe(64 * 1024 * 1024)
    expect(request.readableEnded).toBe(true)
  })

  it('is delivered at once when it is complete, without events', async () => {
    const { nth, client } = await openByHand()
    const large = 'x'.repeat(300_000)
    client.socket.write(post('/v1/a', 'hello') + post('/v1/b', large) + get('/v1/c'))
    const first = await nth(0)
    const told: string[] = []
    first.request.on('data', () => told.push('data')).on('end', () => told.push('end'))
    expect(first.request.takeBody?.()?.toString()).toBe('hello')
    expect(first.request.readableEnded).toBe(true)
    expect(first.request.takeBody?.()).toBeNull()
    first.request.resume()
    await pause(10)
    expect(told).toEqual([])
    first.response.end('a')

    const second = await nth(1)
    expect(second.request.takeBody?.()).toBeNull()
    const length = await new Promise<number>((resolve) => {
      let bytes = 0
      second.request.on('data', (chunk) => (bytes += chunk.length)).on('end', () => resolve(bytes))
      second.request.resume()
    })
    expect(length).toBe(large.length)
    second.response.end('b')

    const third = await nth(2)
    expect(third.request.takeBody?.()?.length).toBe(0)
    third.response.end('c')
    await client.waitFor('\r\n\r\nc')
  })

  it('is delivered to a late reader with its buffered part', async () => {
    const { nth, client } = await openByHand()
    const large = 'x'.repeat(100_000)
    client.socket.write(post('/v1/a', large))
    const { request, response } = await nth(0)
    let body: Buffer | null | undefined = null
    await waitUntil(async () => (body = request.takeBody?.()) !== null)
    expect(String(body)).toBe(large)
    response.end('a')
    client.socket.write(get('/v1/b'))
    const next = await nth(1)
    next.response.end('b')
    await client.waitFor('\r\n\r\nb')
  })

  it('reports a client that disconnects in the middle', async () => {
    const { nth, client } = await openByHand()
    client.socket.write(post('/v1/a', 'hello').slice(0, -1))
    const { request, response } = await nth(0)
    const told: string[] = []
    request.on('end', () => told.push('end')).on('close', () => told.push('request'))
    response.on('close', () => told.push(`response ${response.writableEnded}`))
    request.resume()
    client.socket.destroy()
    await waitUntil(async () => told.length === 2)
    expect(told).toEqual(['request', 'response false'])
    expect([request.destroyed, response.destroyed]).toEqual([true, true])
    expect(await connectionCount()).toBe(0)
  })

  it('larger than the buffer reports a disconnect once it has been read', async () => {
    const { nth, client } = await openByHand()
    client.socket.write(post('/v1/a', 'x'.repeat(300_000)))
    const { request, response } = await nth(0)
    await pause(50)
    const ended = new Promise<void>((resolve) => request.on('end', resolve))
    request.resume()
    await ended
    const left = new Promise<void>((resolve) => response.on('close', resolve))
    client.socket.destroy()
    await left
    expect(response.writableEnded).toBe(false)
  })
})

it('the number of pipelined requests is limited', async () => {
  const { asked, nth, client } = await openByHand()
  const size = 64 * 1024 * 1024
  client.socket.write(get('/v1/first') + post('/v1/a', 'x'.repeat(1000)).repeat(size / 1000))
  for (let at = 0; at < 50; at += 1) {
    const { response } = await nth(at)
    response.end('.')
  }
  await pause(200)
  expect(asked.length).toBeLessThanOrEqual(51)
  expect(client.socket.writableLength).toBeGreaterThan(size / 2)
})

it('a connection paused by pipelined requests is resumed', async () => {
  const held: ClientResponse[] = []
  world = await openFastPath((request, response) => {
    if (request.url === '/v1/held') held.push(response)
    else echo(request, response)
  })
  const { socket, waitFor: hears } = world.open()
  const ahead = Array.from({ length: 70 }, (_, at) => get(`/v1/${at}`, `X: ${'x'.repeat(1000)}`))
  socket.write(get('/v1/held') + ahead.join(''))
  await waitUntil(async () => held.length === 1 && socket.writableLength === 0)
  await pause(50)
  held[0]?.end('held')
  await hears('held', 'GET /v1/69 .')
  socket.write(get('/v1/next'))
  await hears('GET /v1/next .')
  expect(new Set(readers())).toEqual(new Set(['front']))
})

it('a pipelined request does not start after its client has disconnected', async () => {
  const { asked, nth, client } = await openByHand()
  client.socket.pause()
  client.socket.write(get('/v1/a') + post('/v1/b', 'hello'))
  const { response } = await nth(0)
  response.end(Buffer.alloc(64 * 1024 * 1024))
  await pause(50)
  client.socket.resetAndDestroy()
  await waitUntil(async () => (await connectionCount()) === 0)
  await pause(10)
  expect(asked).toHaveLength(1)
})

describe('an answer', () => {
  it('reports a client that disconnects in the middle', async () => {
    const { nth, client } = await openByHand()
    client.socket.write(get('/v1/a'))
    const { response } = await nth(0)
    response.writeHead(200).write(Buffer.from('first'))
    await client.waitFor('first')
    const left = new Promise<void>((resolve) => response.on('close', resolve))
    client.socket.destroy()
    await left
    expect(response.writableEnded).toBe(false)
    expect(response.write(Buffer.from('second'))).toBe(false)
    response.end('third')
  })

  it('that its client does not read is paused, and resumes with the reads', async () => {
    const { nth, client } = await openByHand()
    client.socket.pause()
    client.socket.write(get('/v1/a'))
    const { response } = await nth(0)
    const block = Buffer.alloc(100_000, 'x')
    let blocks = 0
    response.writeHead(200)
    const fill = () => {
      while (blocks < 300) {
        blocks += 1
        if (!response.write(block)) return
      }
      response.end()
    }
    response.on('drain', fill)
    fill()
    await pause(100)
    expect(blocks).toBeLessThan(200)
    client.socket.resume()
    await client.waitFor('\r\n0\r\n\r\n')
    expect(countOf(client.received(), 'x')).toBe(30_000_000)
  }, 20_000)

  it('is finished once it was accepted, and later calls affect no other answer', async () => {
    const { nth, client } = await openByHand()
    client.socket.write(get('/v1/a'))
    const first = await nth(0)
    const closed = new Promise<void>((resolve) => first.response.on('close', resolve))
    first.response.end('one')
    await closed
    expect([first.response.writableEnded, first.response.destroyed]).toEqual([true, true])
    client.socket.write(get('/v1/b'))
    const second = await nth(1)
    first.response.destroy()
    first.response.end('more')
    second.response.end('two')
    await client.waitFor('two')
    expect(client.received()).not.toContain('more')
  })

  it('that is destroyed ends the connection', async () => {
    const { nth, client } = await openByHand()
    client.socket.write(get('/v1/a'))
    const { response } = await nth(0)
    response.writeHead(200).write(Buffer.from('half'))
    await client.waitFor('half')
    response.destroy()
    await client.closed
    expect(client.received()).not.toContain('0\r\n\r\n')
  })
})
