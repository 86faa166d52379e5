import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { answerChat, type Behaviour } from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { ASKED, COST, setUp, type World } from '../../../testing/worlds/relay-scenario.ts'

/** More than the buffers of a connection hold. */
const ANSWER_BYTES = 32 * 1024 * 1024
const TAKEN_AT_ONCE = 4 * 1024 * 1024

const setUpTalker = (limits: { sendMs?: number; clientStallMs?: number }) =>
  setUp(answerChat('x'.repeat(ANSWER_BYTES)), { limits })

const withLength = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`
const inChunks = (body: string) =>
  `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

const requestOf = ({ key }: World, framed = withLength) =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n${framed(JSON.stringify(ASKED))}`

function connectTo({ url }: World): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

/** A client that has sent its request and does not read yet. */
async function askAndWait(world: World): Promise<Socket> {
  const client = connectTo(world).pause()
  await once(client, 'connect')
  client.write(requestOf(world))
  return client
}

async function expectPaid(world: World) {
  const { log, logs } = await world.books()
  expect(logs).toHaveLength(1)
  expect(log).toMatchObject({ end_reason: 'finished', outcome: 'settled', quota: COST })
}

test.each([
  ['in all that time', { sendMs: 300, clientStallMs: 60_000 }],
  ['for a while', { sendMs: 60_000, clientStallMs: 300 }],
])('a client that accepts nothing %s is disconnected, and has paid', async (_, limits) => {
  const world = await setUpTalker(limits)
  await askAndWait(world)
  await waitUntil(async () => world.upstream.requestsOf('p0').length === 1)
  await waitUntil(async () => (await world.connectionCount()) === 0)
  await expectPaid(world)
})

test.each([
  ['with its length', withLength],
  ['in chunks, which Node.js reads', inChunks],
])('a client that awaits its next answer stays connected: %s', async (_, framed) => {
  const clientStallMs = 200
  const slow: Behaviour = async (response, request) => {
    await sleep(3 * clientStallMs)
    await answerChat('second')(response, request)
  }
  // Long enough that the transfer is watched.
  const world = await setUp([answerChat(`first${'x'.repeat(ANSWER_BYTES)}`), slow], {
    limits: { clientStallMs, unwatchedSendMs: 1 },
    // A busy machine takes seconds for 32 MB.
    upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
  })
  const client = connectTo(world)
  let said = ''
  client.on('data', (bytes: Buffer) => (said += bytes.toString()))
  const request = requestOf(world, framed)
  client.write(request + request)
  await waitUntil(async () => said.includes('second') || client.destroyed)
  expect(said.includes('second')).toBe(true)
})

test('a slow client receives its complete answer', async () => {
  const clientStallMs = 700
  const world = await setUpTalker({ clientStallMs })
  const client = await askAndWait(world)
  const from = performance.now()
  let taken = 0
  let takenAtOnce = 0
  client.on('data', (bytes: Buffer) => {
    taken += bytes.length
    takenAtOnce += bytes.length
    if (takenAtOnce >= TAKEN_AT_ONCE) client.pause()
  })
  while (taken < ANSWER_BYTES) {
    client.pause()
    await sleep(200)
    takenAtOnce = 0
    client.resume()
    await waitUntil(async () => client.isPaused() || taken >= ANSWER_BYTES)
  }
  expect(performance.now() - from).toBeGreaterThan(clientStallMs)
  await expectPaid(world)
})
