import { expect, test } from 'vitest'
import { chooseWeighted, topTier } from './channel-choice.ts'

const channel = (id: number, weight: number, priority = 0) => ({ id, weight, priority })

/** How often each channel is chosen when `random` runs evenly from 0 to 1. */
function shares(channels: { id: number; weight: number; priority: number }[]) {
  const counts = new Map<number, number>()
  for (let step = 0; step < 1000; step += 1) {
    const id = chooseWeighted(channels, () => step / 1000)?.id ?? 0
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return Object.fromEntries(counts)
}

test('each channel is chosen in proportion to its weight', () => {
  expect(shares([channel(1, 1), channel(2, 3)])).toEqual({ 1: 250, 2: 750 })
})

test('weight 0 is chosen only if nothing else is left, and then evenly', () => {
  expect(shares([channel(1, 0), channel(2, 5)])).toEqual({ 2: 1000 })
  expect(shares([channel(1, 0), channel(2, 0)])).toEqual({ 1: 500, 2: 500 })
})

test('of the highest priority, only the cheapest are chosen from, and unknown costs come last', () => {
  const ranked = (id: number, costRank: number, priority = 0) => ({
    ...channel(id, 1, priority),
    costRank,
  })
  const channels = [ranked(1, 7), ranked(2, 5), ranked(3, 5), ranked(4, 1, -1), ranked(5, Infinity)]
  expect(topTier(channels)).toMatchObject([{ id: 2 }, { id: 3 }])
  expect(topTier([ranked(5, Infinity)])).toMatchObject([{ id: 5 }])
  expect(topTier([ranked(1, 1, -5), ranked(2, 1, -1)])).toMatchObject([{ id: 2 }])
})

test('an empty list gives no channel', () => {
  expect(chooseWeighted([], () => 0.5)).toBeUndefined()
})
