import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Failure, nextAttempt } from './retry-policy.ts'
import { planAttempts } from './route-plan.ts'

const channel = (id: number, priority = 0, weight = 0, readyInMs = 0, leftAloneMs = 0) => ({
  id,
  priority,
  weight,
  cooldownMs: readyInMs,
  retryAfterMs: leftAloneMs,
  upstreamModel: 'm',
})

type Planned = ReturnType<typeof channel>

const RETRY_TIMES = 3

const orders = (channels: Planned[], retryTimes = RETRY_TIMES) =>
  Object.fromEntries([...planAttempts(channels, retryTimes)].map(([id, { order }]) => [id, order]))

test('tiers are ordered by priority, then by weight, with channels in cooldown last', () => {
  const channels = [
    channel(1, 0, 5),
    channel(2, 9, 0),
    channel(3, 9, 2),
    channel(4, 99, 0, 500),
    channel(5, 99, 0, 100),
  ]
  expect(orders(channels, 9)).toEqual({ 3: 1, 2: 2, 1: 3, 5: 4, 4: 5 })
})

test('if all channels are in cooldown, the one that is ready first is listed', () => {
  const tries = planAttempts([channel(1, 9, 1, 500), channel(2, 0, 1, 20)], RETRY_TIMES)
  expect(tries.get(2)).toEqual({ order: 1, chance: 1 })
  expect(tries.get(1)).toEqual({ order: 2, chance: 0 })
})

test('a channel with a Retry-After beyond the time limit is excluded', () => {
  const long = channel(1, 9, 1, 6000, 6000)
  expect(orders([long])).toEqual({})
  expect(orders([long, channel(2)])).toEqual({ 2: 1 })
  const tries = planAttempts([long, channel(2, 0, 1, 8000)], RETRY_TIMES)
  expect([...tries]).toEqual([[2, { order: 1, chance: 1 }]])
})

test('channels beyond the number of attempts are excluded', () => {
  const falling = [7, 6, 5, 4, 3, 2, 1].map((priority) => channel(8 - priority, priority))
  expect(orders(falling)).toEqual({ 1: 1, 2: 2, 3: 3 })
  expect(orders(falling, 0)).toEqual({ 1: 1 })
})

test('a tier with more channels than attempts lists all of them, and none of the next', () => {
  const alike = [1, 2, 3, 4, 5, 6].map((id) => channel(id, 1, 1))
  expect(orders([...alike, channel(7)])).toEqual({ 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6 })
  const spare = channel(8, 1, 0)
  expect(orders([...alike, spare])).not.toHaveProperty('8')
  const below = alike.map((one) => ({ ...one, priority: 0 }))
  expect(orders([channel(9, 1), ...below])).toEqual({ 9: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7 })
})

const some = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 9 }),
    priority: fc.integer({ min: 0, max: 1 }),
    weight: fc.integer({ min: 0, max: 4 }),
    cooldownMs: fc.constantFrom(0, 0, 6000, 9000),
    retryAfterMs: fc.constantFrom(0, 30, 5500),
    upstreamModel: fc.constant('m'),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
)

const situationOf = (candidates: readonly Planned[], retryTimes: number) => ({
  candidates,
  failures: [],
  retryTimes,
  msLeft: 60_000,
  cooldownMs: ({ cooldownMs: readyInMs }: Planned) => readyInMs,
  retryAfterMs: ({ retryAfterMs: leftAloneMs }: Planned) => leftAloneMs,
  random: Math.random,
})

test('the listed chances are those of the random choice', () => {
  const dice = Array.from({ length: 240 }, (_, index) => (index + 0.5) / 240)
  fc.assert(
    fc.property(some, (candidates) => {
      const counts = new Map<number, number>()
      for (const random of dice) {
        const next = nextAttempt({ ...situationOf(candidates, RETRY_TIMES), random: () => random })
        if (next.type === 'try') counts.set(next.channel.id, (counts.get(next.channel.id) ?? 0) + 1)
      }
      for (const [id, { chance }] of planAttempts(candidates, RETRY_TIMES)) {
        expect((counts.get(id) ?? 0) / dice.length).toBeCloseTo(chance, 1)
      }
    }),
  )
})

test('a request tries no other channel, whatever the random numbers', () => {
  fc.assert(
    fc.property(some, fc.integer({ min: 0, max: 4 }), (candidates, retryTimes) => {
      const planned = planAttempts(candidates, retryTimes)
      const asked = new Set<number>()
      for (let times = 0; times < 20; times += 1) {
        const failures: Failure<Planned>[] = []
        for (;;) {
          const next = nextAttempt({ ...situationOf(candidates, retryTimes), failures })
          if (next.type === 'give_up') break
          failures.push({ channel: next.channel, class: 'transient', retryAfterMs: null })
          asked.add(next.channel.id)
        }
      }
      expect([...asked].filter((id) => !planned.has(id))).toEqual([])
    }),
  )
})
