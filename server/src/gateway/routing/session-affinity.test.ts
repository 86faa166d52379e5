import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { attemptRecordSchema } from '@tollgate/contract'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import {
  answerAsAsked,
  answerError,
  type Behaviour,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { startRedis } from '../../../testing/harness/redis.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  type Provider,
  type Setup,
  setUp,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { systemClock } from '../../clock.ts'
import type { AffinityStore } from './affinity-store.ts'
import { openSharedAffinity } from './redis-affinity.ts'

const KEYS = 'sk-one\nsk-two\nsk-three'
const fails: Behaviour = answerError(500, {})
const MULTI_KEY: Provider = { script: [answerAsAsked], key: KEYS }
const MINUTE_MS = 60_000

/** Chooses the channels in turn, as far as the choice is random. */
function inTurn(count: number) {
  let turn = -1
  return () => {
    turn = (turn + 1) % count
    return (turn + 0.5) / count
  }
}

const threeChannels = (setup: Setup = {}) =>
  setUp([MULTI_KEY, MULTI_KEY, MULTI_KEY], { random: inTurn(3), ...setup })

async function turnOf(world: World, session: string, body: object = ASKED) {
  const headers = { 'x-claude-code-session-id': session }
  const response = await world.ask(body, { headers })
  await response.text()
  return response.status
}

/** The channel and key of each request, in order of channels. */
const used = (world: World) =>
  world.channels.flatMap((_, index) =>
    world.upstream
      .requestsOf(`p${index}`)
      .map(({ headers }) => `p${index} ${String(headers.authorization).replace('Bearer ', '')}`),
  )

test('without a session, channels and keys take turns', async () => {
  const world = await threeChannels()
  for (let turn = 0; turn < 6; turn += 1) await (await world.ask()).text()
  expect(new Set(used(world)).size).toBe(6)
})

test('the turns of a session reach one channel and key, and each session its own', async () => {
  const world = await threeChannels()
  for (let turn = 0; turn < 4; turn += 1) await turnOf(world, 'first')
  expect(new Set(used(world)).size).toBe(1)
  for (let turn = 0; turn < 4; turn += 1) await turnOf(world, 'second')
  expect(new Set(used(world)).size).toBe(2)
})

test('parallel requests of a new session follow its first', async () => {
  const world = await threeChannels()
  await Promise.all(Array.from({ length: 5 }, () => turnOf(world, 's')))
  expect(new Set(used(world)).size).toBe(1)
})

test('the receipt shows which attempts stayed', async () => {
  const world = await threeChannels()
  for (let turn = 0; turn < 2; turn += 1) await turnOf(world, 's')
  const { logs } = await world.books()
  const attempts = logs.map(({ attempts: given }) =>
    z.array(attemptRecordSchema).parse(JSON.parse(given)),
  )
  expect(attempts.map(([attempt]) => attempt?.session)).toEqual([false, true])
})

test('the option switches it off', async () => {
  const world = await threeChannels({ options: [['SessionAffinityEnabled', 'false']] })
  for (let turn = 0; turn < 3; turn += 1) await turnOf(world, 's')
  expect(new Set(used(world)).size).toBe(3)
})

test('a session ends with a failure, and stays where it was served then', async () => {
  const script = [answerAsAsked, fails, answerAsAsked]
  const world = await setUp([{ script }, { script: [answerAsAsked] }], {
    random: () => 0,
    options: [['RetryTimes', '1']],
  })
  for (let turn = 0; turn < 4; turn += 1) expect(await turnOf(world, 's')).toBe(200)
  // The random choice would be the first channel each time.
  expect(world.calls()).toEqual([2, 3])
})

test('a limited key loses the session to another key of its channel', async () => {
  const limited = answerError(429, { code: 'rate_limit_exceeded' }, { 'retry-after': '60' })
  const world = await setUp([{ script: [answerAsAsked, limited, answerAsAsked], key: KEYS }])
  for (let turn = 0; turn < 4; turn += 1) expect(await turnOf(world, 's')).toBe(200)
  const all = used(world)
  expect(all.slice(0, 2)).toEqual(['p0 sk-one', 'p0 sk-one'])
  expect(all[2]).not.toBe('p0 sk-one')
  expect(all.slice(2)).toEqual([all[2], all[2], all[2]])
})

test('a channel of higher priority takes the session back', async () => {
  const clock = FakeClock.withSockets()
  const unavailable = answerError(503, {}, { 'retry-after': '30' })
  const first = { script: [unavailable, answerAsAsked], priority: 1 }
  const world = await setUp([first, { script: [answerAsAsked] }], { clock })
  await turnOf(world, 's')
  await turnOf(world, 's')
  expect(world.calls()).toEqual([1, 2])
  await clock.advance(MINUTE_MS)
  await turnOf(world, 's')
  expect(world.calls()).toEqual([2, 2])
})

test("another user's session with the same id is another session", async () => {
  const world = await threeChannels()
  await turnOf(world, 's')
  const user = await world.addUser({ quota: 100_000 })
  const { key } = await world.addToken({ user })
  await turnOf({ ...world, key }, 's')
  expect(new Set(used(world)).size).toBe(2)
  await turnOf(world, 's')
  await turnOf({ ...world, key }, 's')
  expect(new Set(used(world)).size).toBe(2)
})

test('a binding lasts as long as the cache of its provider', async () => {
  const clock = FakeClock.withSockets()
  const claude = { ...MULTI_KEY, models: 'claude-sonnet-4-5' }
  const world = await setUp([claude, claude, claude], { random: inTurn(3), clock })
  const body = { ...ASKED, model: 'claude-sonnet-4-5' }
  await turnOf(world, 's', body)
  await clock.advance(4 * MINUTE_MS)
  await turnOf(world, 's', body)
  await clock.advance(4 * MINUTE_MS)
  await turnOf(world, 's', body)
  expect(new Set(used(world)).size).toBe(1)
  await clock.advance(6 * MINUTE_MS)
  await turnOf(world, 's', body)
  expect(new Set(used(world)).size).toBe(2)
})

test('a conversation without an id is known by its first messages', async () => {
  const world = await threeChannels()
  const opener = [
    { role: 'system', content: 'You are a careful assistant. '.repeat(300) },
    { role: 'user', content: 'Read the file.' },
  ]
  const messages = [...opener]
  for (let turn = 0; turn < 4; turn += 1) {
    await (await world.ask({ ...ASKED, messages })).text()
    messages.push({ role: 'assistant', content: 'Hello' }, { role: 'user', content: 'And then?' })
  }
  expect(new Set(used(world)).size).toBe(1)
})

const stores: AffinityStore[] = []

const redis = openOnce(() => startRedis())

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
})

async function openStore() {
  const log = { warn: vi.fn<() => void>(), info: vi.fn<() => void>() }
  const store = await openSharedAffinity({ url: redis.url, clock: systemClock, log })
  stores.push(store)
  return { store, log }
}

const binding = { channel: 7, keyId: 'k', model: 'm' }

test('nodes share bindings, their ends and their lifetimes', async () => {
  const [{ store: one }, { store: other }] = [await openStore(), await openStore()]
  one.set('s', binding, 60_000)
  await waitUntil(async () => (await other.get('s')) !== undefined)
  expect(await other.get('s')).toEqual(binding)
  expect(one.get('s')).toEqual(binding)
  one.delete('s')
  await waitUntil(async () => (await other.get('s')) === undefined)
  one.set('short', binding, 1)
  await waitUntil(async () => (await other.get('short')) === undefined)
  expect(one.known('short')).toBeUndefined()
})

test('while Redis is away, each node keeps its own', async () => {
  const { store, log } = await openStore()
  await redis.kill()
  store.set('own', binding, 60_000)
  expect(store.get('own')).toEqual(binding)
  expect(await store.get('unknown')).toBeUndefined()
  expect(log.warn).toHaveBeenCalled()
  await redis.start()
  await waitUntil(async () => {
    store.set('later', binding, 60_000)
    const { store: other } = await openStore()
    return (await other.get('later')) !== undefined
  })
})
