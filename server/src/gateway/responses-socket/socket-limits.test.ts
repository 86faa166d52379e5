import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { QUOTA } from '../../../testing/worlds/relay-scenario.ts'
import {
  connect,
  create,
  good,
  limited,
  openSocketWorld,
} from '../../../testing/worlds/responses-socket-scenario.ts'
import { LANES_KEPT_MAX } from './conversations.ts'
import { turnRequest } from './turn-exchange.ts'

const warmUp = { ...create, generate: false }
const lost = { error: { code: 'previous_response_not_found' } }

test('a user keeps a quarter of the conversations in memory, and others their own', async () => {
  const world = await openSocketWorld(good, limited({ keptBytesMax: 200 }))
  const client = await connect(world)
  const keep = async (lane: string, by = client) => {
    by.send({ ...warmUp, stream_id: lane })
    const { response } = await by.next('response.completed', Number(lane))
    by.send({ ...warmUp, stream_id: lane, input: [], previous_response_id: response?.id })
  }
  await keep('1')
  expect(await client.next('response.completed', 2)).toMatchObject({ stream_id: '1' })
  await keep('3')
  expect(await client.next('error')).toMatchObject(lost)
  const user = await world.addUser({ quota: QUOTA })
  const { key } = await world.addToken({ user })
  const other = await connect({ ...world, key })
  await keep('1', other)
  expect(await other.next('response.completed', 2)).toMatchObject({ stream_id: '1' })
})

test('a character beyond Latin-1 takes two bytes of what a user keeps', async () => {
  const world = await openSocketWorld(good, limited({ keptBytesMax: 400 }))
  const client = await connect(world)
  client.send({ ...warmUp, input: '好'.repeat(30) })
  const { response } = await client.next('response.completed')
  client.send({ ...warmUp, previous_response_id: response?.id })
  expect(await client.next('error')).toMatchObject(lost)
  client.send({ ...warmUp, input: 'o'.repeat(30) })
  const { response: short } = await client.next('response.completed', 2)
  client.send({ ...warmUp, input: [], previous_response_id: short?.id })
  await client.next('response.completed', 3)
})

test('a connection keeps the responses of its latest lanes', async () => {
  const world = await openSocketWorld(good)
  const client = await connect(world)
  const ids: (string | undefined)[] = []
  for (let lane = 0; lane <= LANES_KEPT_MAX; lane += 1) {
    client.send({ ...warmUp, stream_id: `lane ${lane}`, input: [] })
    const { response } = await client.next('response.completed', lane + 1)
    ids.push(response?.id)
  }
  client.send({ ...warmUp, previous_response_id: ids[0] })
  expect(await client.next('error')).toMatchObject(lost)
  client.send({ ...warmUp, previous_response_id: ids[1] })
  await client.next('response.completed', LANES_KEPT_MAX + 2)
})

test('a warm-up has the limits of a request', async () => {
  const world = await openSocketWorld(good)
  const client = await connect(world)
  client.send({ ...warmUp, input: Array.from({ length: 400_000 }, () => 1) })
  expect(await client.next('error')).toMatchObject({ error: { code: 'request_too_large' } })
})

test('frames that are arriving count like bodies, and whole ones no longer', async () => {
  const limits = { userArrivingBytesMax: 5000 }
  const world = await openSocketWorld(good, { limits })
  const [client, other] = [await connect(world), await connect(world)]
  for (const count of [1, 2, 3]) {
    client.send({ ...warmUp, input: 'x'.repeat(3000) })
    await client.next('response.completed', count)
  }
  client.socket.send('x'.repeat(3000), { fin: false })
  other.socket.send('x'.repeat(3000), { fin: false })
  await waitUntil(async () => [client, other].some(({ socket }) => socket.readyState > 1))
  const open = [client, other].filter(({ socket }) => socket.readyState === WebSocket.OPEN)
  expect(open).toHaveLength(1)
})

test('each buffer of a frame that is arriving counts, however short it is', async () => {
  const limits = { userArrivingBytesMax: 5000 }
  const world = await openSocketWorld(good, { limits })
  const { socket } = await connect(world)
  for (let sent = 0; sent < 100 && socket.readyState === WebSocket.OPEN; sent += 1) {
    socket.send('x', { fin: false })
    await pause(1)
  }
  await waitUntil(async () => socket.readyState === WebSocket.CLOSED)
})

test('a process has so many connections', async () => {
  const world = await openSocketWorld(good, limited({ connectionsMax: 1 }))
  await connect(world)
  await expect(connect(world)).rejects.toThrow('503')
})

test('a key is checked before the upgrade, and a user has so many connections', async () => {
  const world = await openSocketWorld(good, limited({ userConnectionsMax: 1 }))
  await expect(connect({ ...world, key: 'sk-unknown' })).rejects.toThrow('401')
  await connect(world)
  await expect(connect(world)).rejects.toThrow('503')
})

const headersOf = (headers: Record<string, string>, frame = {}) =>
  turnRequest({ headers, socket: {} }, Buffer.from('{}'), frame).headers

test('a turn has the headers of the handshake, but for those of the WebSocket', () => {
  const session = { authorization: 'Bearer sk-1', 'session-id': 's1', 'openai-beta': 'other=v1' }
  const socket = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-key': 'a' }
  const own = { 'content-type': 'application/json', 'content-length': '2' }
  expect(headersOf({ ...session, ...socket })).toEqual({ ...session, ...own })
  const beta = { 'openai-beta': 'responses_websockets=2026-02-06' }
  expect(headersOf({ ...beta, 'session-id': 's1' })).toEqual({ 'session-id': 's1', ...own })
})

test('what Codex tells in a frame instead of a header becomes that header', () => {
  const member = 'ws_request_header_x_openai_internal_codex_responses_lite'
  const header = 'x-openai-internal-codex-responses-lite'
  expect(headersOf({}, { client_metadata: { [member]: 'true' } })).toMatchObject({
    [header]: 'true',
  })
  expect(headersOf({}, { client_metadata: { other: 'true' } })).not.toHaveProperty(header)
})
