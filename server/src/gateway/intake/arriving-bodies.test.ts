import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { answerAsAsked } from '../../../testing/fakes/scripted-upstream.ts'
import { openRawClient, type RawClient } from '../../../testing/harness/raw-client.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  expectRefusal,
  QUOTA,
  readError,
  type Setup,
  setUp,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { GATEWAY_LIMITS } from '../limits.ts'

const BODY_MAX = 100_000

const PATIENT = { bodyMs: 600_000, arrivalCheckMs: 600_000, lingerMs: 20 }

const open = (limits: Setup['limits'] = {}, setup: Setup = {}) =>
  setUp(answerAsAsked, { ...setup, limits: { ...PATIENT, bodyBytesMax: BODY_MAX, ...limits } })

type Caller = Pick<World, 'url' | 'key'>

const anotherOf = async (world: World): Promise<Caller> => {
  const user = await world.addUser({ quota: QUOTA })
  return { ...world, key: (await world.addToken({ user })).key }
}

const head = (key: string, ...more: string[]) =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...more,
    '\r\n',
  ].join('\r\n')

const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`

/** How a body is framed: with its length, or in chunks, which Node.js parses. */
const READERS = {
  'our reader': {
    lines: (bytes: number) => `Content-Length: ${bytes}`,
    part: (text: string) => text,
  },
  'Node.js': { lines: () => 'Transfer-Encoding: chunked', part: chunked },
}

const READER_NAMES = ['our reader', 'Node.js'] as const
type Reader = (typeof READER_NAMES)[number]

/** Sends all but the last bytes of a large body, and then nothing. */
function stall(caller: Caller, reader: Reader = 'our reader', ...more: string[]): RawClient {
  const client = openRawClient(caller)
  const { lines, part } = READERS[reader]
  client.socket.write(
    head(caller.key, lines(BODY_MAX), ...more) + part('x'.repeat(BODY_MAX - 1000)),
  )
  return client
}

/**
 * Sends a body in two parts, so that it is incomplete when the head is read. `finish` sends the
 * second.
 */
async function begin(caller: Caller, bytes: number, ...more: string[]) {
  const client = openRawClient(caller)
  const body = JSON.stringify(ASKED).padEnd(bytes)
  client.socket.write(head(caller.key, `Content-Length: ${bytes}`, ...more) + body.slice(0, -1))
  await pause(20)
  const finish = async () => {
    client.socket.write(body.slice(-1))
    await client.waitFor('\r\n\r\n{')
    return client
  }
  return { finish }
}

const sendInParts = async (...args: Parameters<typeof begin>): Promise<RawClient> =>
  (await begin(...args)).finish()

const count = (all: readonly RawClient[], status: number) =>
  all.filter(({ received: said }) => said().startsWith(`HTTP/1.1 ${status} `)).length

describe.each(READER_NAMES)('stalled uploads of one account, for %s,', (reader) => {
  const shares = { arrivingBytesMax: 16 * BODY_MAX, userArrivingBytesMax: 2 * BODY_MAX }

  test('take at most their share, and leave the uploads of others unharmed', async () => {
    const world = await open(shares)
    const other = await anotherOf(world)
    const stalled = Array.from({ length: 17 }, () => stall(world, reader))
    await waitUntil(async () => count(stalled, 429) === 15)
    const [refused] = stalled.filter(({ received: said }) => said() !== '')
    expect(refused?.received()).toMatch(/\r\nretry-after: 2\r\n/i)
    expect(refused?.received()).toMatch(/\r\nconnection: close\r\n/i)
    expect(refused?.received()).toContain('"code":"too_many_uploads"')
    expect((await sendInParts(other, BODY_MAX)).received()).toMatch(/^HTTP\/1\.1 200 /)
    // A second key of the same account shares its limit.
    const second = { ...world, key: (await world.addToken({ user: world.user })).key }
    expect((await sendInParts(second, BODY_MAX)).received()).toMatch(/^HTTP\/1\.1 429 /)
  })

  test('make room for others if they occupy everything', async () => {
    const world = await open({ arrivingBytesMax: 4 * BODY_MAX })
    const other = await anotherOf(world)
    const stalled = Array.from({ length: 4 }, () => stall(world, reader))
    const { finish } = await begin(other, BODY_MAX / 2)
    await waitUntil(async () => count(stalled, 503) === 1)
    expect((await finish()).received()).toMatch(/^HTTP\/1\.1 200 /)
    const [refused] = stalled.filter(({ received: said }) => said() !== '')
    expect(refused?.received()).toContain('"code":"server_busy"')
    expect(refused?.received()).toMatch(/\r\nretry-after: 2\r\n/i)
  })

  test('release their bytes when they break off', async () => {
    const world = await open({ ...shares, bodyBytesMax: 2 * BODY_MAX })
    for (let round = 0; round < 3; round += 1) {
      const stalled = [stall(world, reader), stall(world, reader)]
      await waitUntil(async () => stalled.every(({ socket }) => socket.writableLength === 0))
      for (const { socket } of stalled) socket.destroy()
      await waitUntil(async () => (await world.connectionCount()) === 0)
    }
    expect((await sendInParts(world, BODY_MAX)).received()).toMatch(/^HTTP\/1\.1 200 /)
    await world.books()
  })
})

test('accounts of one address share its part, and other addresses have their own', async () => {
  const world = await open({ addressArrivingBytesMax: 2 * BODY_MAX })
  const from = (address: string) => `X-Forwarded-For: ${address}`
  const accounts = [world, await anotherOf(world), await anotherOf(world)]
  const stalled = accounts.map((account) => stall(account, 'our reader', from('192.0.2.1')))
  await waitUntil(async () => count(stalled, 429) === 1)
  expect(stalled.map(({ received: said }) => said()).join('')).toContain('Your address')
  const elsewhere = await sendInParts(await anotherOf(world), BODY_MAX, from('192.0.2.2'))
  expect(elsewhere.received()).toMatch(/^HTTP\/1\.1 200 /)
  // An uploader who holds less than others of the address is not refused.
  const small = await sendInParts(await anotherOf(world), BODY_MAX / 2, from('192.0.2.1'))
  expect(small.received()).toMatch(/^HTTP\/1\.1 200 /)
})

describe('a compressed body', () => {
  const FREE = 20_000
  const pack = (text: string) => new Uint8Array(gzipSync(text))
  const send = (caller: Caller, body: Uint8Array<ArrayBuffer> | string, encoding = 'gzip') =>
    fetch(`${caller.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${caller.key}`,
        'content-type': 'application/json',
        ...(encoding === '' ? {} : { 'content-encoding': encoding }),
      },
      body,
    })
  const asked = JSON.stringify(ASKED)

  test('may expand to a multiple of its size, and to a minimum whatever its size', async () => {
    const world = await open({ decompressedBytesFree: FREE, decompressionRatioMax: 10 })
    const free = pack(asked.padEnd(FREE))
    expect(FREE / free.length).toBeGreaterThan(10)
    expect((await send(world, free)).status).toBe(200)
    const dense = pack(asked.padEnd(FREE + 1))
    await expectRefusal(send(world, dense), 413, {
      code: 'request_too_large',
      type: 'invalid_request_error',
      message: expect.stringContaining(
        `The request body of ${dense.length} bytes decompresses to more than ${FREE} bytes; at most ` +
          '10 times its size is allowed. Send it without Content-Encoding.',
      ),
    })
    expect((await send(world, asked.padEnd(FREE + 1), '')).status).toBe(200)
    const words = Array.from({ length: 12_000 }, () => Math.random().toString(36)[2]).join('')
    const usual = pack(JSON.stringify({ ...ASKED, prompt_cache_key: words + ' '.repeat(30_000) }))
    expect(usual.length * 10).toBeGreaterThan(42_000)
    expect((await send(world, usual)).status).toBe(200)
    await world.books()
  })

  test('with 32 kB does not become 32 MB', async () => {
    const { bodyBytesMax } = GATEWAY_LIMITS
    const world = await open({ bodyBytesMax })
    const head = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}],"z":['
    const bomb = pack(`${head}${'1,'.repeat((bodyBytesMax - head.length - 4) / 2)}1]}`)
    expect(bomb.length).toBeLessThan(33_000)
    await expectRefusal(send(world, bomb), 413, 'request_too_large')
    expect(world.calls()).toEqual([0])
  })

  test('counts with its decompressed size, for its account', async () => {
    const world = await open({ userArrivingBytesMax: BODY_MAX / 2, decompressionRatioMax: 1000 })
    const refused = await send(world, pack(asked.padEnd(BODY_MAX)))
    expect([refused.status, (await readError(refused)).code]).toEqual([429, 'too_many_uploads'])
    // The body has arrived completely, so the connection stays open.
    expect(refused.headers.get('connection')).not.toBe('close')
    expect((await send(world, pack(asked.padEnd(BODY_MAX / 4)))).status).toBe(200)
  })
})

describe('a body that arrives slowly', () => {
  const SLOW = { arrivalCheckMs: 400, arrivingBytesPerSecondMin: 250, unpacedBytesMax: 0 }

  test.each(READER_NAMES)('is refused once it stalls (%s)', async (reader) => {
    const world = await open(SLOW)
    const client = stall(world, reader)
    await client.waitFor('HTTP/1.1 408 ')
    expect(client.received()).toContain('"code":"request_timeout"')
    expect(client.received()).toMatch(
      /arrives too slowly: \d+ bytes came in the last 0\.4 seconds, and at least 100 are required\./,
    )
    expect(client.received()).toMatch(/\r\nretry-after: 1\r\n/i)
    expect(client.received()).toMatch(/\r\nconnection: close\r\n/i)
    await client.closed
  })

  test('is read to its end while it progresses, however long that takes', async () => {
    const world = await open(SLOW)
    const { socket, received: said, waitFor: hears } = openRawClient(world)
    const body = JSON.stringify(ASKED).padEnd(20_000)
    socket.write(head(world.key, `Content-Length: ${body.length}`))
    const at = performance.now()
    for (let from = 0; from < body.length; from += 200) {
      socket.write(body.slice(from, from + 200))
      await pause(10)
    }
    expect(performance.now() - at).toBeGreaterThan(2 * SLOW.arrivalCheckMs)
    await hears('\r\n\r\n{')
    expect(said()).toMatch(/^HTTP\/1\.1 200 /)
  })
})

test('a small body may pause on its way', async () => {
  const body = JSON.stringify(ASKED).padEnd(2000)
  const clock = FakeClock.withSockets()
  const arrivalCheckMs = 50
  const pace = { arrivalCheckMs, arrivingBytesPerSecondMin: 10_000 }
  const world = await open({ ...pace, unpacedBytesMax: body.length }, { clock })
  const { socket, received: said, waitFor: hears } = openRawClient(world)
  socket.write(head(world.key, `Content-Length: ${body.length}`) + body.slice(0, 1000))
  await waitUntil(async () => clock.isWaitedFor(arrivalCheckMs))
  await clock.advance(6 * arrivalCheckMs)
  socket.write(body.slice(1000))
  await hears('\r\n\r\n{')
  expect(said()).toMatch(/^HTTP\/1\.1 200 /)
})

describe('a body in many small pieces', () => {
  const FEW = { smallChunksMax: 500, chunkBytesMin: 64 }

  test('is refused', async () => {
    const world = await open(FEW)
    const { socket, waitFor: hears } = openRawClient(world)
    socket.write(head(world.key, 'Transfer-Encoding: chunked') + chunked(' ').repeat(600))
    await hears('HTTP/1.1 400 ', '"code":"request_fragmented"', 'fewer than 64 bytes')
  })

  test('is read if there are few of them, or the others are large', async () => {
    const world = await open(FEW)
    const { socket, received: said, waitFor: hears } = openRawClient(world)
    const text = JSON.stringify(ASKED)
    socket.write(head(world.key, 'Transfer-Encoding: chunked') + chunked(' '.repeat(50_000)))
    socket.write(`${chunked(' ').repeat(600) + chunked(text)}0\r\n\r\n`)
    await hears('\r\n\r\n{')
    expect(said()).toMatch(/^HTTP\/1\.1 200 /)
  })
})

test('trailers of a body are ignored', async () => {
  const world = await open()
  const { socket, waitFor: hears } = openRawClient(world)
  const end = '0\r\nX-Trailer: 1\r\nAuthorization: Bearer sk-nobody\r\n\r\n'
  socket.write(head(world.key, 'Transfer-Encoding: chunked') + chunked(JSON.stringify(ASKED)) + end)
  await hears('HTTP/1.1 200 ', 'Hello there')
})

test('pipelined requests are answered in order, also after a refused one', async () => {
  const world = await open()
  const { socket, received: said, waitFor: hears } = openRawClient(world)
  const body = JSON.stringify(ASKED)
  const good = head(world.key, `Content-Length: ${body.length}`) + body
  const bad = `${head('sk-nobody', 'Content-Length: 5')}hello`
  socket.write(good + bad + good)
  await hears('HTTP/1.1 200 OK', 'HTTP/1.1 401 Unauthorized')
  await waitUntil(async () => said().split('HTTP/1.1 ').length === 4)
  const statuses = [...said().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  expect(statuses).toEqual([200, 401, 200])
  await world.books()
})
