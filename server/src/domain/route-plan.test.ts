import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTry } from './retry-policy.ts'
import { planTurns } from './route-plan.ts'

const channel = (id: number, priority = 0, weight = 0, readyInMs = 0, leftAloneMs = 0) => ({
  id,
  priority,
  weight,
  readyInMs,
  leftAloneMs,
  upstreamModel: 'm',
})

const orders = (channels: ReturnType<typeof channel>[]) =>
  Object.fromEntries([...planTurns(channels)].map(([id, { order }]) => [id, order]))

test('tiers come by priority, in them the heavier first, and what is cooling last', () => {
  const channels = [
    channel(1, 0, 5),
    channel(2, 9, 0),
    channel(3, 9, 2),
    channel(4, 99, 0, 500),
    channel(5, 99, 0, 100),
  ]
  expect(orders(channels)).toEqual({ 3: 1, 2: 2, 1: 3, 5: 4, 4: 5 })
})

test('where all are cooling the soonest is the one', () => {
  const turns = planTurns([channel(1, 9, 1, 500), channel(2, 0, 1, 20)])
  expect(turns.get(2)).toEqual({ order: 1, chance: 1 })
  expect(turns.get(1)).toEqual({ order: 2, chance: 0 })
})

test('one whose provider asked to be left alone comes behind, and for longer than a request waits is not asked', () => {
  const long = channel(1, 9, 1, 6000, 6000)
  expect(planTurns([long]).get(1)).toEqual({ order: 1, chance: 0 })
  const turns = planTurns([long, channel(2, 0, 1, 8000)])
  expect(turns.get(2)).toEqual({ order: 1, chance: 1 })
})

test('the chances are those with which a request chooses', () => {
  const some = fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 9 }),
      priority: fc.integer({ min: 0, max: 1 }),
      weight: fc.integer({ min: 0, max: 4 }),
      readyInMs: fc.constantFrom(0, 0, 6000, 9000),
      leftAloneMs: fc.constantFrom(0, 30, 5500),
      upstreamModel: fc.constant('m'),
    }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
  )
  const dice = Array.from({ length: 240 }, (_, index) => (index + 0.5) / 240)
  fc.assert(
    fc.property(some, (candidates) => {
      const counts = new Map<number, number>()
      for (const random of dice) {
        const next = nextTry({
          candidates,
          failures: [],
          retryTimes: 3,
          msLeft: 60_000,
          readyInMs: ({ readyInMs }) => readyInMs,
          leftAloneMs: ({ leftAloneMs }) => leftAloneMs,
          random: () => random,
        })
        if (next.type === 'try') counts.set(next.channel.id, (counts.get(next.channel.id) ?? 0) + 1)
      }
      for (const [id, { chance }] of planTurns(candidates)) {
        expect((counts.get(id) ?? 0) / dice.length).toBeCloseTo(chance, 1)
      }
    }),
  )
})
