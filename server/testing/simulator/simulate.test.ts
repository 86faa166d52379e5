import { expect, test } from 'vitest'
import { BROKEN_RULES } from './broken-rules.ts'
import { simulateRegions } from './regions.ts'
import { simulate } from './simulate.ts'

const STEPS = 500
const TIMEOUT_MS = 120_000

/** `npm run ledger:sim` runs any number of others. */
const seeds = [1, 2]

test.each(seeds)(
  'whatever fails, no rule of the ledger is broken (seed %d)',
  { timeout: TIMEOUT_MS },
  async (seed) => {
    const { wrong, notes } = await simulate({ seed, steps: STEPS, isCalm: false })
    expect(wrong, notes.join('\n')).toEqual([])
  },
)

test.each(seeds)(
  'no cost is uncollected while no process closes a living epoch (seed %d)',
  { timeout: TIMEOUT_MS },
  async (seed) => {
    const { wrong, notes } = await simulate({ seed, steps: STEPS, isCalm: true })
    expect(wrong, notes.join('\n')).toEqual([])
  },
)

test('the same seed gives the same course of events', { timeout: TIMEOUT_MS }, async () => {
  const options = { seed: 6, steps: 150, isCalm: false }
  expect(await simulate(options)).toEqual(await simulate(options))
})

/** A seed for each rule with which its error shows up quickly. */
const found = [
  ['expiry', 78, /^uncollected/],
  ['resume', 1, /^L1/],
  ['retry', 32, /^L1/],
  ['void', 17, /^L1/],
  ['raw', 1, /^L2/],
  ['fence', 41, /a lease is not what was promised out of it/],
  ['beat', 68, /a lease is not what was promised out of it/],
  ['forget', 1, /^L1/],
  ['unsynced', 3, /^L1/],
] as const

test('each deliberately broken rule is tried', () => {
  expect(found.map(([rule]) => rule)).toEqual(Object.keys(BROKEN_RULES))
})

test.each(found)(
  'the fault in the rule "%s" is found (seed %d)',
  { timeout: TIMEOUT_MS },
  async (rule, seed, what) => {
    const { wrong } = await simulate({
      seed,
      steps: 400,
      isCalm: false,
      broken: BROKEN_RULES[rule](),
    })
    expect(wrong).toContainEqual(expect.stringMatching(what))
  },
)

test('nodes far from the database refuse nobody who can pay, and serve from their leases while cut off', async () => {
  const { rows, leases, wrong } = await simulateRegions({ seed: 1, nodesPerRegion: 2, seconds: 10 })
  expect(wrong).toEqual([])
  expect(rows.filter((row) => row.wrong > 0)).toEqual([])
  const cutOff = rows.filter(({ unavailable }) => unavailable > 0)
  expect(new Set(cutOff.map(({ distanceMs }) => distanceMs))).toEqual(new Set([75]))
  const [during] = cutOff
  expect(during?.phase).toBe('cut off')
  expect(during?.unavailable).toBeLessThan((during?.requests ?? 0) / 2)
  expect(Math.max(...leases.map(({ used }) => used))).toBeLessThan(1)
})
