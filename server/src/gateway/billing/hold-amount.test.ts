import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { affordableOutputTokens, type Price, worstCase } from '../../domain/price.ts'
import { NO_OVERRIDES } from '../../upstream/channel-overrides.ts'
import { affordableOutput, holdAmount, outputWithoutLimit } from './hold-amount.ts'

const price = (model_ratio: number, completion_ratio = 1): Price => ({
  price_model: 'm',
  price_version: '1',
  model_ratio,
  completion_ratio,
  cache_ratio: 1,
  cache_write_ratio: 1,
})

const writer = (price: Price) => ({ price, outputTokensMax: 1000 })
const workOf = (parts: Partial<Parameters<typeof holdAmount>[0]> = {}) => ({
  promptTokens: 10,
  outputLimit: null,
  minOutputLimit: 256,
  choices: 1,
  headroomTokens: null,
  ...parts,
})
const same = (amount: number) => ({
  min: amount,
  reducedAmount: amount,
  fullAmount: amount,
  max: amount,
})
const terms = {
  writers: [writer(price(1, 4)), writer(price(2, 4)), writer(price(1, 2))],
  groupRatio: 1,
  extraTokens: 0,
}

test.each([
  ['o3', 'gpt-4o', 100_000],
  ['gpt-4o', 'o3', 16_384],
  ['my-deployment', 'o3', 100_000],
  ['other-model', 'gpt-3.5-turbo', 5000],
  ['other-model', 'alias', 5000],
])('%s, which clients call %s, may write at most %i tokens', (upstreamModel, asked, most) => {
  const channel = { overrides: NO_OVERRIDES }
  const names = { upstreamModel, modelNames: [upstreamModel, asked], channel }
  expect(outputWithoutLimit(names, { DefaultMaxTokens: 5000 })).toBe(most)
})

// guards: C10.1
test('without a client limit, a request needs the prompt and 256 tokens at the highest price', () => {
  const most = 2 * (10 + 4 * 2 * 1000)
  const least = 2 * (10 + 4 * 2 * 256)
  expect(holdAmount(workOf({ choices: 2 }), terms)).toEqual({
    min: least,
    reducedAmount: least,
    fullAmount: most,
    max: most,
  })
})

test("the client's limit is held in full, and may be reduced to the stated minimum", () => {
  const whole = same(2 * (10 + 4 * 5000))
  const lowered = { ...whole, reducedAmount: 2 * (10 + 4 * 1280) }
  for (const [minOutputLimit, amounts] of [
    [null, whole],
    [1280, lowered],
    [6000, whole],
  ] as const) {
    expect(holdAmount(workOf({ outputLimit: 5000, minOutputLimit }), terms)).toEqual(amounts)
  }
})

test('a model that ignores limits needs a hold of everything it can write', () => {
  const writers = [{ ...writer(price(2, 4)), ignoresLimit: true }]
  for (const outputLimit of [null, 50, 5000]) {
    const amount = holdAmount(workOf({ outputLimit }), { ...terms, writers })
    expect(amount).toEqual(same(2 * (10 + 4 * 1000)))
  }
})

test('extra tokens are held if the balance allows, and are never required', () => {
  for (const outputLimit of [null, 5000]) {
    const plain = holdAmount(workOf({ outputLimit }), terms)
    const amount = holdAmount(workOf({ outputLimit }), { ...terms, extraTokens: 500 })
    expect(amount).toEqual({ ...plain, max: plain.max + 2 * 500 })
  }
})

test('nothing is held at a price of 0, and a hold never exceeds the maximum quota', () => {
  const work = workOf({ outputLimit: 2 ** 30, minOutputLimit: null, choices: 128 })
  expect(holdAmount(work, { ...terms, writers: [writer(price(0))] })).toEqual(same(0))
  expect(holdAmount(work, { ...terms, writers: [writer(price(1_000_000))] }).max).toBe(QUOTA_MAX)
})

test('the hold pays for exactly the limit it buys', () => {
  fc.assert(
    fc.property(
      fc.record({
        promptTokens: fc.integer({ min: 0, max: 10_000 }),
        choices: fc.integer({ min: 1, max: 4 }),
        ratio: fc.double({ min: 0.01, max: 50, noNaN: true }),
        extra: fc.integer({ min: 0, max: 1_000_000 }),
      }),
      ({ promptTokens, choices, ratio, extra }) => {
        const given = { promptTokens, choices, price: price(ratio, 3), groupRatio: 1 }
        const held = worstCase({ ...given, outputTokens: 256 }) + extra
        const work = { ...given, outputLimit: null, minOutputLimit: 256 }
        const bought = affordableOutput(work, { ...given, held, modelMax: null })
        expect(bought).toBeGreaterThanOrEqual(256)
        expect(bought).toBeLessThanOrEqual(4096)
        expect(worstCase({ ...given, outputTokens: bought })).toBeLessThanOrEqual(held)
        if (bought < 4096) {
          expect(affordableOutputTokens(held, given)).toBe(bought)
          expect(worstCase({ ...given, outputTokens: bought + 1 })).toBeGreaterThan(held)
        }
      },
    ),
  )
})

test.each([
  { what: 'what is held pays for', outputLimit: 5000, modelMax: 16_384, bought: 1000 },
  { what: 'its client names', outputLimit: 700, modelMax: 16_384, bought: 700 },
  { what: 'its model can write', outputLimit: 5000, modelMax: 800, bought: 800 },
  { what: 'an unknown model can pay', outputLimit: 5000, modelMax: null, bought: 1000 },
  { what: 'it needs', outputLimit: 5000, modelMax: 16_384, minOutputLimit: 1280, bought: 1280 },
])('a limit of what $what', ({ outputLimit, minOutputLimit: lowest = 256, modelMax, bought }) => {
  const work = { promptTokens: 10, outputLimit, minOutputLimit: lowest, choices: 1 }
  const held = 10 + 4 * 1000
  expect(affordableOutput(work, { price: price(1, 4), groupRatio: 1, held, modelMax })).toBe(bought)
})

test('free models have no limit, a hold below the prompt price buys nothing, the largest hold buys all', () => {
  const bounds = { promptTokens: 100, choices: 2, price: price(2, 3), groupRatio: 1 }
  expect(affordableOutputTokens(199, bounds)).toBe(0)
  expect(affordableOutputTokens(200, bounds)).toBe(0)
  expect(affordableOutputTokens(212, bounds)).toBe(1)
  expect(affordableOutputTokens(QUOTA_MAX, bounds)).toBe(Infinity)
  expect(affordableOutputTokens(0, { ...bounds, price: price(0) })).toBe(Infinity)
  expect(affordableOutputTokens(199, { ...bounds, price: price(2, 0) })).toBe(0)
  expect(affordableOutputTokens(200, { ...bounds, price: price(2, 0) })).toBe(Infinity)
  const long_prompts = [{ above: 99, input: 2, output: 3 }]
  const long = { ...bounds, price: { ...price(2, 3), long_prompts } }
  expect(affordableOutputTokens(400 + 36, long)).toBe(1)
})

// guards: C15.4
test('output of a stream is held in slices, whatever its limit', () => {
  const least = 2 * (10 + 4 * 256)
  const most = 2 * (10 + 4 * 400)
  for (const outputLimit of [null, 5000]) {
    const work = workOf({ outputLimit, minOutputLimit: 2000, headroomTokens: 400 })
    expect(holdAmount(work, terms)).toEqual({ ...same(least), fullAmount: most, max: most })
  }
})
