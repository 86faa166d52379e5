import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChannelHealth } from './channel-health.ts'

const SECOND = 1000

/** A health with its own clock. `random` 1 gives the longest cooldown. */
function open(random = 1) {
  const health = new ChannelHealth()
  let now = 1_000_000
  const begin = () => {
    health.begin(now)
    return now
  }
  const fail = (startedAt = begin(), retryAfterMs: number | null = null) =>
    health.failed({ now, startedAt, retryAfterMs, isFromProvider: true, random: () => random })
  /** Fails as often as causes a cooldown. */
  const cool = () => {
    for (let times = 0; times < 3; times += 1) fail()
  }
  return {
    health,
    now: () => now,
    pass: (ms: number) => (now += ms),
    begin,
    fail,
    cool,
    speak: (startedAt = begin(), ms = 100) =>
      health.answerStarted({ startedAt, kind: 'stream', ms }),
    readyInMs: () => health.cooldownMs(now),
    state: () => health.view(now).state,
  }
}

test('a Retry-After is distinguished from a computed cooldown, until an answer ends it', () => {
  const { health, fail, pass, begin, speak, now } = open()
  const before = begin()
  fail(begin(), 30 * SECOND)
  const leftAlone = () => health.retryAfterMs(now()) / SECOND
  expect(leftAlone()).toBe(30)
  health.failed({
    now: now(),
    startedAt: begin(),
    retryAfterMs: 60 * SECOND,
    isFromProvider: false,
    random: () => 1,
  })
  expect([leftAlone(), health.view(now())]).toEqual([
    30,
    expect.objectContaining({ retryAfterMs: 30 * SECOND, cooldownMs: 60 * SECOND }),
  ])
  pass(20 * SECOND)
  speak(before - 1)
  expect(leftAlone()).toBe(10)
  speak(begin())
  expect(leftAlone()).toBe(0)
})

test('one or two failures keep a channel in use; three in a row cause a cooldown', () => {
  const { fail, pass, readyInMs, state } = open()
  fail()
  fail()
  expect([readyInMs(), state()]).toEqual([0, 'ready'])
  fail()
  expect([readyInMs(), state()]).toEqual([SECOND, 'cooling'])
  pass(SECOND)
  expect([readyInMs(), state()]).toEqual([0, 'ready'])
})

test('a success between failures resets the count, unless most requests fail', () => {
  const world = open()
  for (let round = 0; round < 3; round += 1) {
    world.fail()
    world.fail()
    expect(world.readyInMs()).toBe(0)
    world.health.succeeded(world.begin())
  }
  expect(world.readyInMs()).toBe(0)
  world.fail()
  expect(world.readyInMs()).toBe(SECOND)
})

test('the cooldown doubles with each failed probe, up to ten seconds', () => {
  const { fail, pass, readyInMs } = open()
  fail()
  fail()
  const waits = Array.from({ length: 7 }, () => {
    fail()
    const wait = readyInMs()
    pass(wait)
    return wait / SECOND
  })
  expect(waits).toEqual([1, 2, 4, 8, 10, 10, 10])
})

test('the cooldown is random between half and all of its length', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), (random) => {
      const { readyInMs, cool } = open(random)
      cool()
      expect(readyInMs()).toBeGreaterThanOrEqual(SECOND / 2)
      expect(readyInMs()).toBeLessThanOrEqual(SECOND)
    }),
  )
})

test('a Retry-After is honoured from the first failure on, up to an hour', () => {
  const { fail, pass, readyInMs } = open()
  fail(undefined, 30 * SECOND)
  expect(readyInMs()).toBe(30 * SECOND)
  pass(30 * SECOND)
  expect(readyInMs()).toBe(0)
  fail(undefined, 86_400 * SECOND)
  expect(readyInMs()).toBe(3600 * SECOND)
})

test('after the cooldown one request is the probe, and the others wait for its result', () => {
  const { pass, begin, speak, readyInMs, state, cool } = open()
  cool()
  pass(SECOND)
  const probe = begin()
  expect(state()).toBe('probing')
  expect(readyInMs()).toBeGreaterThan(0)
  pass(50)
  speak(probe)
  expect([readyInMs(), state()]).toEqual([0, 'ready'])
})

test('a probe that ends without a result leaves its place to the next request', () => {
  const { health, pass, begin, now, readyInMs, cool } = open()
  cool()
  pass(SECOND)
  const probe = begin()
  pass(20)
  health.dropped(now(), probe)
  expect(readyInMs()).toBe(0)
  begin()
  expect(readyInMs()).toBeGreaterThan(0)
  pass(10 * SECOND)
  expect(readyInMs()).toBe(0)
})

test('requests sent before the cooldown neither end nor lengthen it', () => {
  const { health, fail, pass, begin, speak, readyInMs, cool } = open()
  const [early, late] = [begin(), begin()]
  pass(1)
  cool()
  speak(early)
  health.succeeded(early)
  fail(late)
  expect(readyInMs()).toBe(SECOND)
})

test('a request sent during the cooldown ends it by succeeding', () => {
  const { pass, speak, readyInMs, cool } = open()
  cool()
  pass(10)
  speak()
  expect(readyInMs()).toBe(0)
})

test('a stream that breaks after its first token is a failure again, until one completes', () => {
  const { health, fail, pass, begin, speak, readyInMs, cool } = open()
  cool()
  pass(SECOND)
  const broken = begin()
  speak(broken)
  fail(broken)
  expect(readyInMs()).toBe(2 * SECOND)
  pass(2 * SECOND)
  const whole = begin()
  speak(whole)
  health.succeeded(whole)
  fail()
  fail()
  expect(readyInMs()).toBe(0)
})

test('the usual time to the first token is known after five requests, and follows recent ones', () => {
  const { health, speak, begin } = open()
  const speakAfter = (count: number, ms: number) => {
    for (let index = 0; index < count; index += 1) speak(begin(), ms)
  }
  speakAfter(4, 100)
  expect(health.p95Ms('stream')).toBeNull()
  speakAfter(16, 100)
  expect(health.p95Ms('stream')).toBe(100)
  expect(health.p95Ms('whole')).toBeNull()
  speakAfter(64, 700)
  expect(health.p95Ms('stream')).toBe(700)
})

test('no sequence of events keeps a channel out for longer than its cooldown or Retry-After', () => {
  const step = fc.record({
    kind: fc.constantFrom('begin', 'fail', 'speak', 'succeed', 'drop'),
    ms: fc.integer({ min: 0, max: 4000 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { health, begin, fail, pass, now } = open()
      let startedAt = now()
      for (const { kind, ms } of steps) {
        pass(ms)
        if (kind === 'begin') startedAt = begin()
        if (kind === 'fail') fail(startedAt)
        if (kind === 'speak') health.answerStarted({ startedAt, kind: 'stream', ms })
        if (kind === 'succeed') health.succeeded(startedAt)
        if (kind === 'drop') health.dropped(now(), startedAt)
        expect(health.cooldownMs(now())).toBeLessThanOrEqual(10 * SECOND)
      }
    }),
  )
})

test('failures of earlier requests do not repeat a cooldown that has ended', () => {
  const { begin, fail, speak, pass, readyInMs, cool } = open()
  const old = [begin(), begin(), begin(), begin()]
  pass(10)
  cool()
  expect(readyInMs()).toBe(SECOND)
  pass(SECOND)
  speak()
  expect(readyInMs()).toBe(0)
  for (const startedAt of old) fail(startedAt)
  expect(readyInMs()).toBe(0)
  fail(old[0], 3000)
  expect(readyInMs()).toBe(3000)
})

test('the speed of a model is measured by long answers, at the upper end', () => {
  const health = new ChannelHealth()
  for (let times = 0; times < 4; times++) health.outputReceived(200, 2000)
  expect(health.p95TokensPerSecond()).toBeNull()
  // Short answers, and answers that arrive all at once, do not count.
  health.outputReceived(99, 1000)
  health.outputReceived(100_000, 999)
  expect(health.p95TokensPerSecond()).toBeNull()
  health.outputReceived(600, 3000)
  expect(health.p95TokensPerSecond()).toBe(200)
})
