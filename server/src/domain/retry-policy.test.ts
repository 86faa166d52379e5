import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  nextHedgeDelayMs,
  type Candidate,
  type Failure,
  type FailureClass,
  nextHedge,
  nextFailover,
  nextAttempt,
} from './retry-policy.ts'

const channel = (id: number, priority = 0, upstreamModel = 'm'): Candidate => ({
  id,
  priority,
  weight: 0,
  upstreamModel,
})

const failed = (
  candidate: Candidate,
  kind: FailureClass = 'transient',
  retryAfterMs: number | null = null,
): Failure<Candidate> => ({ channel: candidate, class: kind, retryAfterMs })

type Terms = {
  retryTimes?: number
  msLeft?: number
  cooling?: Record<number, number>
  /** The part of the cooldowns that Retry-After accounts for. */
  told?: Record<number, number>
}

const situation = (
  candidates: Candidate[],
  failures: Failure<Candidate>[],
  { retryTimes = 3, msLeft = 60_000, told = {}, cooling = told }: Terms = {},
) => ({
  candidates,
  failures,
  retryTimes,
  msLeft,
  cooldownMs: ({ id }: Candidate) => cooling[id] ?? 0,
  retryAfterMs: ({ id }: Candidate) => told[id] ?? 0,
  random: () => 0,
})

const decide = (...given: Parameters<typeof situation>) => nextAttempt(situation(...given))

const A = channel(1, 5)
const B = channel(2, 5)
const C = channel(3, 1)
const GIVE_UP = { type: 'give_up' }

test('another channel of the tier comes first, then the same one again, then the next tier', () => {
  expect(decide([C, A, B], [])).toMatchObject({ channel: A, afterMs: 0 })
  expect(decide([C, A, B], [failed(A)])).toMatchObject({ channel: B, afterMs: 0 })
  expect(decide([C, A, B], [failed(A), failed(B)])).toMatchObject({ channel: B, afterMs: 100 })
  expect(decide([C, A, B], [failed(A), failed(B), failed(B)])).toMatchObject({ channel: C })
})

test('a lasting failure is not retried: the next tier comes at once', () => {
  expect(decide([A, C], [failed(A, 'channel_failed')])).toMatchObject({ channel: C })
  expect(decide([A], [failed(A, 'channel_failed')])).toEqual(GIVE_UP)
})

test('a channel that is no longer a candidate is not retried', () => {
  expect(decide([C], [failed(A)])).toMatchObject({ channel: C })
  expect(decide([], [failed(A)])).toEqual(GIVE_UP)
  expect(decide([], [failed(A, 'other_key')])).toEqual(GIVE_UP)
  expect(nextFailover(situation([], [failed(A)]))).toEqual(GIVE_UP)
})

test('a short Retry-After is awaited, a long one and one beyond the deadline are not', () => {
  expect(decide([A], [failed(A, 'transient', 5000)])).toMatchObject({ channel: A, afterMs: 5000 })
  expect(decide([A], [failed(A, 'transient', 5001)])).toEqual(GIVE_UP)
  expect(decide([A, C], [failed(A, 'transient', 900)], { msLeft: 800 })).toMatchObject({
    channel: C,
  })
  expect(decide([A, C], [failed(A)], { msLeft: 0 })).toEqual(GIVE_UP)
})

test('a request that is too long is retried once, on another model only', () => {
  const other = channel(4, 0, 'other')
  expect(decide([A, B, other], [failed(A, 'context_too_long')])).toMatchObject({ channel: other })
  expect(decide([A, B], [failed(A, 'context_too_long')])).toEqual(GIVE_UP)
  expect(decide([A, B, other], [failed(A, 'context_too_long'), failed(other)])).toEqual(GIVE_UP)
})

test('the last attempt goes to an untried channel, if one is ready', () => {
  const keys = [failed(A, 'other_key'), failed(A, 'other_key'), failed(A, 'other_key')]
  expect(decide([A, C], keys.slice(0, 2))).toMatchObject({ channel: A })
  expect(decide([A, C], keys)).toMatchObject({ channel: C, afterMs: 0 })
  expect(decide([A, C], [failed(A)], { retryTimes: 1 })).toMatchObject({ channel: C })
  expect(decide([A, C], keys, { cooling: { 3: 9 } })).toMatchObject({ channel: A })
})

test('with an attempt left, a channel that failed only once is retried', () => {
  const failures = [failed(A), failed(B), failed(B)]
  expect(decide([A, B], failures.slice(0, 2))).toMatchObject({ channel: B, afterMs: 100 })
  expect(decide([A, B], failures)).toEqual({ type: 'try', channel: A, afterMs: 100 })
  expect(decide([A, B], [failed(A), failed(B, 'channel_failed')])).toMatchObject({ channel: A })
  expect(decide([A, B, C], failures, { retryTimes: 9 })).toMatchObject({ channel: C })
  const all = [...failures, failed(C, 'channel_failed')]
  expect(decide([A, B, C], all, { retryTimes: 9 })).toMatchObject({ channel: A })
  expect(decide([A, B, C], [...all, failed(A)], { retryTimes: 9 })).toEqual(GIVE_UP)
  // An answer may also break off at a channel that had failed before.
  expect(nextFailover(situation([A, B], failures))).toMatchObject({ channel: A })
})

test('a ready channel is retried first among those that failed once, by priority', () => {
  const failures = [failed(C), failed(A), failed(B, 'channel_failed')]
  expect(decide([A, B, C], failures)).toMatchObject({ channel: A })
  expect(decide([A, B, C], failures, { cooling: { 1: 900 } })).toMatchObject({ channel: C })
  const told = { 1: 3000, 3: 2000 }
  expect(decide([A, B, C], failures, { told })).toMatchObject({ channel: C, afterMs: 2000 })
})

test('none that failed once is retried if that cannot help, or is not allowed', () => {
  const failures = [failed(A), failed(B), failed(B)]
  expect(decide([A, B], failures, { retryTimes: 2 })).toEqual(GIVE_UP)
  expect(decide([A, B], failures, { told: { 1: 5001 } })).toEqual(GIVE_UP)
  expect(decide([A, B], failures, { cooling: { 1: 5001 } })).toEqual(GIVE_UP)
  expect(decide([A, B], failures, { told: { 1: 900 }, msLeft: 900 })).toEqual(GIVE_UP)
  expect(decide([A, B], failures, { msLeft: 100 })).toEqual(GIVE_UP)
  expect(decide([B], failures)).toEqual(GIVE_UP)
  for (const kind of ['channel_failed', 'non_retryable', 'context_too_long'] as const) {
    expect(decide([A, B], [failed(A, kind), failed(B), failed(B)])).toEqual(GIVE_UP)
  }
  expect(decide([A, B], [failed(A), failed(B, 'non_retryable')])).toEqual(GIVE_UP)
  const keys = [failed(A, 'other_key'), failed(A), failed(B, 'channel_failed')]
  expect(decide([A, B], keys)).toEqual(GIVE_UP)
})

test('a request that every provider would refuse is not retried, whatever another one says later', () => {
  expect(decide([A, B], [failed(A, 'non_retryable')])).toEqual(GIVE_UP)
  const refused = [failed(A, 'non_retryable'), failed(B)]
  expect(decide([A, B, C], refused)).toEqual(GIVE_UP)
  expect(nextFailover(situation([A, B, C], refused))).toEqual(GIVE_UP)
})

test('another key of the same channel is tried at once, as long as attempts are left', () => {
  const failures = [failed(A, 'other_key'), failed(A, 'other_key'), failed(A)]
  expect(decide([A], failures.slice(0, 2))).toMatchObject({ channel: A, afterMs: 0 })
  expect(decide([A], failures)).toMatchObject({ channel: A, afterMs: 100 })
  expect(decide([A, B], [failed(A, 'other_key')])).toMatchObject({ channel: B })
})

test('another key is also tried after another channel', () => {
  const failures = [failed(A, 'other_key'), failed(B, 'channel_failed')]
  expect(decide([A, B], failures)).toMatchObject({ channel: A })
  expect(decide([A, B, C], failures)).toMatchObject({ channel: A })
  expect(decide([A, B], [failed(A, 'other_key'), failed(B)])).toMatchObject({ channel: A })
  expect(decide([A, B], [...failures, failed(A, 'channel_failed')])).toEqual(GIVE_UP)
  expect(nextFailover(situation([A, B], failures))).toMatchObject({ channel: A })
})

test('a channel in cooldown is skipped, whatever its priority', () => {
  expect(decide([A, B, C], [], { cooling: { 1: 50 } })).toMatchObject({ channel: B })
  expect(decide([A, B, C], [], { cooling: { 1: 50, 2: 9 } })).toMatchObject({ channel: C })
  expect(decide([A, B, C], [failed(A)], { cooling: { 2: 9 } })).toMatchObject({ channel: A })
  const twice = [failed(A), failed(A)]
  expect(decide([A, B, C], twice, { cooling: { 2: 9 } })).toMatchObject({ channel: C })
})

test('if all channels are in cooldown, the one that is ready first is tried', () => {
  expect(decide([A, B, C], [], { cooling: { 1: 50, 2: 9, 3: 20 } })).toMatchObject({
    channel: B,
    afterMs: 0,
  })
  const lasting = [failed(C, 'channel_failed')]
  expect(decide([A, B, C], lasting, { cooling: { 1: 50, 2: 60 } })).toMatchObject({ channel: A })
})

test('a Retry-After is awaited if all channels must wait, and if it is long, none is tried', () => {
  const B_SOON = { channel: B, afterMs: 5000 }
  expect(decide([A, B], [], { told: { 1: 9000, 2: 5000 } })).toMatchObject(B_SOON)
  expect(decide([A, B], [], { told: { 1: 9000, 2: 5001 } })).toEqual(GIVE_UP)
  expect(decide([A], [], { told: { 1: 900 }, msLeft: 900 })).toEqual(GIVE_UP)
  const besideBroken = { told: { 1: 9000 }, cooling: { 1: 9000, 2: 99_000 } }
  expect(decide([A, B], [], besideBroken)).toMatchObject({ channel: B, afterMs: 0 })
  expect(decide([A, C], [failed(A, 'channel_failed')], { told: { 3: 9000 } })).toEqual(GIVE_UP)
  const rescued = situation([A, C], [failed(A)], { told: { 3: 9000 } })
  expect(nextFailover(rescued)).toMatchObject({ channel: A, afterMs: 100 })
})

test('an answer that broke off continues on another channel, or on the same one if none is left', () => {
  const rescue = (...given: Parameters<typeof situation>) => nextFailover(situation(...given))
  expect(rescue([A, C], [failed(A)])).toMatchObject({ channel: C })
  expect(rescue([A, C], [failed(A), failed(C)])).toMatchObject({ channel: C, afterMs: 100 })
  expect(rescue([A], [failed(A)])).toMatchObject({ channel: A })
  expect(rescue([A], [failed(A), failed(A)])).toEqual(GIVE_UP)
  expect(rescue([A, C], [failed(A)], { retryTimes: 0 })).toEqual(GIVE_UP)
  expect(rescue([A, C], [failed(A, 'non_retryable')])).toEqual(GIVE_UP)
})

test('a hedge goes to a channel that is neither tried nor in cooldown, within all attempts', () => {
  const hedgeAfter = (failures: Failure<Candidate>[], terms: Terms = {}) =>
    nextHedge(situation([A, B, C], failures, terms), [A])?.id
  expect(hedgeAfter([])).toBe(2)
  expect(hedgeAfter([], { cooling: { 2: 1 } })).toBe(3)
  expect(hedgeAfter([], { cooling: { 2: 1, 3: 1 } })).toBeUndefined()
  expect(hedgeAfter([failed(B)])).toBe(3)
  expect(hedgeAfter([failed(B)], { retryTimes: 1 })).toBeUndefined()
  expect(hedgeAfter([], { retryTimes: 0 })).toBeUndefined()
  expect(hedgeAfter([failed(B, 'context_too_long')])).toBeUndefined()
  expect(hedgeAfter([], { msLeft: 0 })).toBeUndefined()
})

test('a channel in cooldown may be the hedge once it is ready, within all attempts and their time', () => {
  const inMs = (failures: Failure<Candidate>[], terms: Terms = {}) =>
    nextHedgeDelayMs(situation([A, B, C], failures, terms), [A])
  const cooling = { 2: 300, 3: 200 }
  expect(inMs([], { cooling })).toBe(200)
  expect(inMs([])).toBe(0)
  expect(inMs([failed(C)], { cooling })).toBe(300)
  expect(inMs([failed(B), failed(C)])).toBe(Infinity)
  expect(inMs([failed(C, 'non_retryable')], { cooling })).toBe(Infinity)
  expect(inMs([], { cooling, retryTimes: 0 })).toBe(Infinity)
  expect(inMs([], { cooling, msLeft: 200 })).toBe(Infinity)
})

test('there are at most RetryTimes + 1 attempts, and two for each channel', () => {
  const candidates = fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 6 }),
      priority: fc.integer({ min: -1, max: 1 }),
      weight: fc.integer({ min: 0, max: 3 }),
      upstreamModel: fc.constantFrom('a', 'b'),
    }),
    { selector: ({ id }) => id },
  )
  const kind = fc.constantFrom<FailureClass>('transient', 'channel_failed', 'context_too_long')
  const kinds = fc.array(kind, { minLength: 12, maxLength: 12 })
  const times = fc.integer({ min: 0, max: 10 })
  fc.assert(
    fc.property(candidates, kinds, times, (list, outcomes, retryTimes) => {
      const failures: Failure<Candidate>[] = []
      for (const outcome of outcomes) {
        const next = nextAttempt({
          ...situation(list, failures, { retryTimes }),
          cooldownMs: ({ id }) => (id % 2) * 1000,
          random: Math.random,
        })
        if (next.type === 'give_up') break
        failures.push(failed(next.channel, outcome))
      }
      expect(failures.length).toBeLessThanOrEqual(Math.min(retryTimes + 1, 2 * list.length))
      for (const { id } of list) {
        expect(failures.filter((failure) => failure.channel.id === id).length).toBeLessThan(3)
      }
    }),
  )
})
