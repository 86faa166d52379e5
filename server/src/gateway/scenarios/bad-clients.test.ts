import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { answerAsAsked } from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { ASKED, COST, QUOTA, shareWorld } from '../../../testing/worlds/relay-scenario.ts'

/** The deadline of a whole body. */
const BODY_MS = 300
/** Far too slow for the deadline. */
const BYTE_EVERY_MS = 20

const world = shareWorld(answerAsAsked, {
  limits: { bodyBytesMax: 100_000, bodyMs: BODY_MS, lingerMs: 20 },
})

type Connection = {
  socket: Socket
  answer: () => string
  closed: Promise<unknown>
}

function open(): Connection {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  socket.on('error', () => {})
  return { socket, answer: () => answer, closed: once(socket, 'close').catch(() => {}) }
}

const head = (more: string, key = world.key) =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n${more}\r\n\r\n`
const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`

/** Checks that the request left no row and no hold, and that the next request is served. */
async function expectNoTrace() {
  await waitUntil(async () => (await world.connectionCount()) === 0)
  const before = await world.books()
  const response = await world.ask(ASKED, { headers: { connection: 'close' } })
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  const after = await world.books()
  expect(after.account.quota).toBe(before.account.quota - COST)
  expect(QUOTA - after.account.quota).toBe(after.logs.length * COST)
}

const LINES = Array.from({ length: 10_000 }, (_, at) => `X-${at}: ${'x'.repeat(90)}`)
test.each([
  ['of 1 MB', `X-Long: ${'x'.repeat(1_000_000)}`],
  ['of 1 MB in 10 000 lines', LINES.join('\r\n')],
])('headers %s are refused with 431', async (_name, headers) => {
  const { socket, answer, closed } = open()
  socket.write(head(headers))
  await closed
  expect(answer()).toMatch(/^HTTP\/1\.1 431 /)
  await expectNoTrace()
})

test('a body that arrives byte by byte is refused with 408 after its time limit', async () => {
  const { socket, answer, closed } = open()
  const body = JSON.stringify(ASKED)
  socket.write(head(`Content-Length: ${body.length}`))
  const at = performance.now()
  for (const byte of body) {
    if (socket.destroyed || answer() !== '') break
    socket.write(byte)
    await pause(BYTE_EVERY_MS)
  }
  await closed
  expect(answer()).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer()).toContain('"code":"request_timeout"')
  expect(performance.now() - at).toBeLessThan(body.length * BYTE_EVERY_MS)
  await expectNoTrace()
})

test('a body in one-byte chunks, split inside characters, is read correctly', async () => {
  const { socket, answer } = open()
  const body = Buffer.from(JSON.stringify({ ...ASKED, user: '你好 👩‍👩‍👧' }))
  const pieces = [...body].map((byte) =>
    Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
  )
  socket.write(head('Transfer-Encoding: chunked\r\nConnection: close'))
  socket.write(Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]))
  await waitUntil(async () => answer().includes('Hello there'))
  expect(world.upstream.requestsOf('p0').at(-1)?.body).toEqual(body)
  await expectNoTrace()
})

test.each([
  ['that says nothing more', ''],
  ['that says the same for ever', chunked(' '.repeat(50))],
])('a chunked body without an end %s is limited', async (_name, more) => {
  const { socket, answer, closed } = open()
  socket.write(head('Transfer-Encoding: chunked') + chunked('{'))
  const timer = setInterval(() => more !== '' && socket.write(more), 5)
  await closed
  clearInterval(timer)
  expect(answer()).toMatch(/^HTTP\/1\.1 408 /)
  await expectNoTrace()
})

test.each([
  ['nonsense', 'hello\r\n\r\n', 400],
  ['a chunk without a size', () => `${head('Transfer-Encoding: chunked')}zz\r\n`, 400],
  [
    'a length and chunks',
    () => `${head('Content-Length: 5\r\nTransfer-Encoding: chunked')}0\r\n\r\n`,
    400,
  ],
  ['two lengths', () => `${head('Content-Length: 5\r\nContent-Length: 6')}hello`, 400],
])('%s is refused with 400', async (_name, text, status) => {
  const { socket, answer, closed } = open()
  socket.write(typeof text === 'string' ? text : text())
  await closed
  expect(answer()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  await expectNoTrace()
})

test('a client without a key is refused before its body is read, however long it is', async () => {
  const { socket, answer, closed } = open()
  socket.write(head('Transfer-Encoding: chunked', 'sk-nobody') + chunked('{'))
  await waitUntil(async () => answer().includes('"code":"invalid_api_key"'))
  expect(answer()).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
  await closed
  await expectNoTrace()
})
