import { describe, expect, test } from 'vitest'
import { problemFromTransport } from '@tollgate/relay'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import {
  answerAsAsked,
  answerChat,
  answerError,
  answerJson,
  answerStream,
  type Behaviour,
  chunk,
  USAGE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  inOrder,
  MODEL,
  QUOTA,
  readError,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { readChannel } from '../../../testing/worlds/rows.ts'
import { systemClock } from '../../clock.ts'
import { COOLDOWN } from '../../domain/channel-health.ts'
import type { LiveChannel } from './channel-registry.ts'
import { createHealthTracker } from './health.ts'

/** The shortest pauses, and half of each cooldown. */
const random = () => 0

const ill = answerError(503, {})

const HOUR_MS = 3_600_000

test.each([
  ['a channel that fails three times in a row is passed over, and is back by one live request', 0],
  ['so it is when the clock is set back meanwhile', HOUR_MS],
])('%s', async (_, setBackMs) => {
  let isIll = true
  const first: Behaviour = (response, request) => (isIll ? ill : answerChat())(response, request)
  const world = await setUp(inOrder(first, answerChat()), {
    random,
    clock: { ...systemClock, now: () => Date.now() - (isIll ? 0 : setBackMs) },
  })
  for (let index = 0; index < 6; index += 1) expect((await world.ask()).status).toBe(200)
  // Each of the first two requests makes two attempts.
  expect(world.calls()).toEqual([4, 6])
  isIll = false
  await waitUntil(async () => {
    await world.ask()
    return world.calls()[0] === 5
  })
  const before = world.calls()
  expect((await world.ask()).status).toBe(200)
  expect(world.calls()).toEqual([6, before[1]])
  await world.books()
})

test('the next request honours a Retry-After, and other models are still served', async () => {
  const limited = answerError(429, {}, { 'retry-after': '60' })
  const byModel: Behaviour = (response, request) =>
    (request.body.includes(MODEL) ? limited : answerChat())(response, request)
  const world = await setUp(inOrder(byModel, answerChat()))
  const models = `${MODEL},gpt-4.1`
  const base_url = world.upstream.baseUrl('p0')
  await world.addChannel({ base_url, models, group: 'default', priority: 2 })
  await waitUntil(async () => (await world.ask({ ...ASKED, model: 'gpt-4.1' })).status === 200)
  const [before = 0] = world.calls()
  for (let index = 0; index < 4; index += 1) expect((await world.ask()).status).toBe(200)
  // Each channel of the first provider was called once.
  expect(world.calls()).toEqual([before + 2, 4])
  expect((await world.ask({ ...ASKED, model: 'gpt-4.1' })).status).toBe(200)
  await world.books()
})

describe('a request that is prepared before it is sent', () => {
  let now = 1
  const limits = { typicalAnswerMs: 0, cooldown: COOLDOWN }
  const bookOf = () => createHealthTracker({ now: () => now, random, limits })
  // Safe because no other field of a channel is read.
  const place = { channel: { id: 1, version: '' } as LiveChannel, upstreamModel: MODEL }
  const limited = { ...problemFromTransport('connect'), retryAfterMs: 1000 }

  test('counts as time of the channel from then on', () => {
    const health = bookOf()
    for (let index = 0; index < 5; index += 1) {
      const probe = health.begin(place, 'stream')
      now += 9000
      probe.sent()
      now += 100
      probe.answerStarted()
      probe.succeeded()
    }
    expect(health.hedgeDelayMs(place, 'stream', 0)).toBe(300)
  })

  test('holds back others if it is a health probe, and ends the cooldown', () => {
    const health = bookOf()
    health.begin(place, 'stream').failed(limited)
    now += 1000
    const probe = health.begin(place, 'stream')
    now += 9000
    expect(health.cooldownMs(place)).toBe(1000)
    probe.sent()
    expect(health.cooldownMs(place)).toBe(10_000)
    now += 2000
    probe.answerStarted()
    expect(health.cooldownMs(place)).toBe(0)
  })

  test('holds back no others once it was dropped', () => {
    const health = bookOf()
    health.begin(place, 'stream').failed(limited)
    now += 1000
    const probe = health.begin(place, 'stream')
    probe.dropped()
    probe.sent()
    expect(health.cooldownMs(place)).toBe(0)
  })
})

test("statistics since a channel's edit survive while a request has the channel as it was", () => {
  const limits = { typicalAnswerMs: 0, cooldown: COOLDOWN }
  const health = createHealthTracker({ now: () => 1, random, limits })
  // Safe because no other field of a channel is read.
  const placeOf = (version: string, firstRead: number) => ({
    channel: { id: 1, version, firstRead } as LiveChannel,
    upstreamModel: MODEL,
  })
  const [old, changed] = [placeOf('b', 1), placeOf('a', 2)]
  const limited = { ...problemFromTransport('connect'), retryAfterMs: 60_000 }
  health.begin(old, 'stream').failed(limited)
  expect(health.retryAfterMs(changed)).toBe(0)
  const probe = health.begin(old, 'stream')
  health.begin(changed, 'stream').failed(limited)
  expect(health.cooldownMs(old)).toBe(0)
  probe.succeeded()
  expect(health.retryAfterMs(changed)).toBe(60_000)
})

describe('if every provider has sent a Retry-After', () => {
  const limited = (seconds: number): Behaviour =>
    answerError(429, {}, { 'retry-after': String(seconds) })

  test.each([ASKED, STREAMED])('that is long, none is tried, and it is passed on', async (body) => {
    const world = await setUp(inOrder([limited(60), answerAsAsked], [limited(40), answerAsAsked]))
    expect((await world.ask(body)).status).toBe(429)
    expect(world.calls()).toEqual([1, 1])
    const refused = await world.ask(body)
    expect(refused.status).toBe(503)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(30)
    expect(seconds).toBeLessThanOrEqual(40)
    expect((await readError(refused)).code).toBe('channels_waiting')
    expect(world.calls()).toEqual([1, 1])
    const { log, account } = await world.books()
    expect(log).toMatchObject({ end_reason: 'no_channel', outcome: 'void', attempts: '[]' })
    expect([account.quota, account.used_quota]).toEqual([QUOTA, 0])
  })

  /** Reports a passed probe of the first channel, as the control plane does. */
  async function pass(world: World, milliseconds = 0) {
    const channel = await readChannel(world, world.channels[0] ?? 0)
    world.gateway().health.recordSuccess(channel, MODEL, milliseconds)
  }

  test('a successful channel test ends the wait, unless it began before the wait', async () => {
    const world = await setUp([limited(60), answerAsAsked])
    expect((await world.ask()).status).toBe(429)
    await pass(world, HOUR_MS)
    expect((await world.ask()).status).toBe(503)
    await pass(world)
    expect((await world.ask()).status).toBe(200)
    expect(world.calls()).toEqual([2])
    await world.books()
  })

  test('that is short, the request waits', async () => {
    const clock = FakeClock.withSockets()
    const world = await setUp([limited(2), answerChat()], { clock, options: [['RetryTimes', '0']] })
    expect((await world.ask()).status).toBe(429)
    const answer = world.ask()
    await waitUntil(async () => clock.isWaitedFor(2000))
    expect(world.calls()).toEqual([1])
    await clock.advance(2000)
    expect((await answer).status).toBe(200)
    await world.books()
  })
})

test('a channel is not tried again for a model it does not have', async () => {
  const missing = answerError(404, { code: 'model_not_found' })
  const world = await setUp(inOrder(missing, answerChat()))
  for (let index = 0; index < 3; index += 1) expect((await world.ask()).status).toBe(200)
  expect(world.calls()).toEqual([1, 3])
  await world.books()
})

describe('a 404 that does not name the model', () => {
  const endpoint = {
    type: 'invalid_request_error',
    message: 'This is a chat model and not supported in the v1/completions endpoint.',
  }
  const text = { choices: [{ index: 0, text: 'hi', finish_reason: 'stop' }], usage: USAGE }
  const completion = { model: MODEL, prompt: 'hi' }
  const path = '/v1/completions'

  const setUpTwo = (refusal: Behaviour) => {
    const byPath =
      (completions: Behaviour): Behaviour =>
      (response, request) =>
        (request.path === path ? completions : answerChat())(response, request)
    const providers = inOrder(byPath(refusal), byPath(answerJson(text)))
    return setUp(providers, { random: () => 0.99 })
  }

  test('is not a failure of the channel if it is about the request', async () => {
    const world = await setUpTwo(answerError(404, endpoint))
    for (let index = 0; index < 4; index += 1) {
      expect((await world.ask(completion, { path })).status).toBe(200)
    }
    expect(world.calls()).toEqual([4, 4])
    expect((await world.ask()).status).toBe(200)
    expect(world.calls()).toEqual([5, 4])
    await world.books()
  })

  test('is a failure like others if it is about anything else', async () => {
    const world = await setUpTwo(answerJson('<h1>Not Found</h1>', { status: 404 }))
    expect((await world.ask(completion, { path })).status).toBe(200)
    expect((await world.ask()).status).toBe(200)
    expect(world.calls()).toEqual([2, 1])
    for (let index = 0; index < 4; index += 1) {
      expect((await world.ask(completion, { path })).status).toBe(200)
    }
    expect(world.calls()).toEqual([5, 5])
    await world.books()
  })
})

test('streams that break in the middle cause a cooldown too', async () => {
  const broken = answerStream([chunk({ content: 'Hello' })], 'cut')
  const world = await setUp(inOrder(broken, answerAsAsked), { options: [['RetryTimes', '0']] })
  for (let index = 0; index < 5; index += 1) await (await world.ask(STREAMED)).text()
  expect(world.calls()).toEqual([3, 2])
  await world.books()
})

test('requests that the provider refuses do not affect health', async () => {
  const refusal = answerError(400, { type: 'invalid_request_error', message: 'no' })
  const world = await setUp(inOrder(refusal, answerChat()))
  for (let index = 0; index < 5; index += 1) expect((await world.ask()).status).toBe(400)
  expect(world.calls()).toEqual([5, 0])
  await world.books()
})

const keysUsed = ({ upstream }: World) =>
  upstream.requestsOf('p0').map(({ headers }) => headers.authorization?.slice(7))

test('a channel whose keys are all limited is in cooldown', async () => {
  const limited = answerError(429, {}, { 'retry-after': '60' })
  const world = await setUp([
    { script: [limited], key: 'sk-a\nsk-b', priority: 1 },
    { script: [answerChat()] },
  ])
  for (let index = 0; index < 3; index += 1) expect((await world.ask()).status).toBe(200)
  expect(keysUsed(world)).toEqual(['sk-a', 'sk-b'])
  await world.books()
})
