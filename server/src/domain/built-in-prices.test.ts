import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { OPTIONS } from '@tollgate/contract'
import { builtInPricesAt } from '@tollgate/contract/prices'
import { usageOf } from '../../testing/ledger/sample-usage.ts'
import { findPrice } from './find-price.ts'
import { basisOf, costOf } from './price.ts'
import { NO_OWN_PRICES } from './provider-cost.ts'

const options = {
  ...NO_OWN_PRICES,
  DefaultModelRatio: OPTIONS.DefaultModelRatio.default,
  prices: builtInPricesAt(Date.parse('2026-11-27T08:00:00Z')).prices,
}

type Listed = {
  dollars: [string, number, number, ...number[]][]
  yuan: [string, number, number, number][]
  longPrompts: [string, number, number, number, number][]
  tiers: [string, string, number, number, number][]
  tools: [string, string, number][]
}

/** Prices as the vendors list them. */
const LISTED: Listed = JSON.parse(
  readFileSync(new URL('__fixtures__/listed-prices.json', import.meta.url), 'utf8'),
)

const USAGE = usageOf(10_000, 2000, { cachedTokens: 4000, cacheWriteTokens: 1000 })
const UNCACHED = usageOf(10_000, 2000)

/** Dollars per million tokens. */
type Dollars = {
  input: number
  output: number
  cached?: number
  write?: number
  longWrite?: number
}

const QUOTA_PER_DOLLAR = 500_000

function priceOf(model: string) {
  const price = findPrice({ requested: model, mapped: model, options })
  if (price === null) throw new Error('no price')
  return price
}

/** What the vendor charges, rounded up to a whole unit. Ratios have nine decimals. */
function expectCharge(usage: typeof USAGE, model: string, dollars: Dollars) {
  const { input, output, cached = input, write = input } = dollars
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens } = usage
  const fresh = promptTokens - cachedTokens - cacheWriteTokens
  const bill = fresh * input + cachedTokens * cached + cacheWriteTokens * write
  const exact = ((bill + completionTokens * output) / 1e6) * QUOTA_PER_DOLLAR
  const cost = costOf(usage, priceOf(model), 1)
  expect(cost, model).toBeGreaterThan(exact - 0.001)
  expect(cost, model).toBeLessThan(exact + 1.001)
}

/** Dollars per million: input, output, cached, cache write, long cache write. */
test.each(LISTED.dollars)('%s costs what its vendor lists', (model, input, output, ...more) => {
  const [cached = input, write = input, longWrite] = more
  const ratios = [output, cached, write].map((part) => (input === 0 ? 1 : part / input))
  const price = priceOf(model)
  expect(price.model_ratio).toBeCloseTo(input / 2, 9)
  expect([price.completion_ratio, price.cache_ratio, price.cache_write_ratio]).toEqual(
    ratios.map((ratio) => expect.closeTo(ratio, 8)),
  )
  expectCharge(USAGE, model, { input, output, cached, write })
  const kinds = [{ kind: 'long_cache_write', tokens: 1000 }] as const
  const long = longWrite ?? (write > input ? write * 1.6 : write)
  const bill = 5000 * input + 4000 * cached + 1000 * long + 2000 * output
  const cost = costOf({ ...USAGE, kinds }, price, 1)
  expect(Math.abs(cost - bill / 2), 'written for long').toBeLessThan(1.001)
})

/** Yuan per million: input, output, cached. Seven are a dollar. */
test.each(LISTED.yuan)('%s costs what its vendor lists in yuan', (model, input, output, cached) => {
  expectCharge(USAGE, model, { input: input / 7, output: output / 7, cached: cached / 7 })
})

/**
 * The last prompt at the lower price, and dollars per million beyond: input, output, cached. xAI's
 * boundary is part of the dearer tier.
 */
test.each(LISTED.longPrompts)(
  '%s costs more beyond a prompt of %d tokens',
  (model, most, input, output, cached) => {
    const usage = { ...USAGE, cacheWriteTokens: 0 }
    expectCharge({ ...usage, promptTokens: most + 1 }, model, { input, output, cached })
    const below = costOf({ ...usage, promptTokens: most }, priceOf(model), 1)
    expect(below).toBeLessThan(
      costOf({ ...usage, promptTokens: most + 1 }, priceOf(model), 1) / 1.3,
    )
  },
)

test('a cache write for an hour costs more in a long prompt too, BerriAI/litellm#15055', () => {
  const kinds = [{ kind: 'long_cache_write', tokens: 50_000 }] as const
  const written = { cachedTokens: 0, cacheWriteTokens: 50_000, completionTokens: 0, kinds }
  const cost = (promptTokens: number) =>
    costOf({ ...USAGE, ...written, promptTokens }, priceOf('claude-haiku-5-5'), 1)
  // $0.10 for input and $0.20 for a write; five times as much beyond 100 000 tokens.
  expect(cost(100_000)).toBe((50_000 * 0.1 + 50_000 * 0.2) / 2)
  expect(cost(150_000)).toBe((100_000 * 0.5 + 50_000 * 1) / 2)
})

test('a model whose context has no dearer part costs the same at any length', () => {
  expectCharge(usageOf(250_000, 2000), 'claude-sonnet-4-5', { input: 3, output: 15 })
})

test.each([
  ['gpt-image-1-mini', 'image_prompt', 2.5],
  ['gemini-3.1-flash-lite', 'audio_prompt', 0.5],
  ['gemini-2.5-flash-image', 'audio_prompt', 1],
  ['gpt-audio-1.5', 'audio_prompt', 32],
  ['gpt-audio-1.5', 'audio_completion', 64],
  ['gpt-realtime-1.5', 'audio_completion', 64],
] as const)('of %s, %s tokens cost $%f per million', (model, kind, dollars) => {
  const { cost, kinds, model_ratio } = basisOf({
    usage: { ...UNCACHED, kinds: [{ kind, tokens: 1000 }] },
    usageSource: 'reported',
    price: priceOf(model),
    group: 'default',
    groupRatio: 1,
    held: 0,
  })
  expect((kinds?.[0]?.ratio ?? 0) * model_ratio * 2).toBeCloseTo(dollars, 8)
  expect(cost).not.toBe(costOf(UNCACHED, priceOf(model), 1))
})

test.each([
  ['gpt-transcribe', 200, 0.0045],
  ['gpt-live-transcribe', 200, 0.017],
  ['whisper-1', 200, 0.006],
  ['voxtral-mini-transcribe-3', 200, 0.0035],
  ['dall-e-3', 1000, 0.04],
  ['rerank-v4.0-pro', 1000, 0.0025],
])('%s costs %d tokens a piece, which are $%f', (model, tokens, dollars) => {
  expect(costOf(usageOf(tokens), priceOf(model), 1)).toBe(dollars * QUOTA_PER_DOLLAR)
})

test("an operator's own price of cache writes goes before the built-in one for long writes", () => {
  const own = { ...options, CacheWriteRatio: { 'kimi-k3': 1.25, 'claude-opus-5-5': 1 } }
  const ratioOf = (model: string) =>
    findPrice({ requested: model, mapped: model, options: own })?.kind_ratios?.long_cache_write
  expect(ratioOf('kimi-k3')).toBe(2)
  expect(ratioOf('claude-opus-5-5')).toBeUndefined()
  expect(ratioOf('kimi-k3.1-pro')).toBe(2)
  expect(ratioOf('gpt-6.1-sol')).toBe(2.5)
})

test("an operator's own factor of 0 goes before the built-in one", () => {
  const zero = { 'gpt-4o': 0 }
  const own = { ...options, CacheRatio: zero, CompletionRatio: zero, CacheWriteRatio: zero }
  const free = { cache_ratio: 0, completion_ratio: 0, cache_write_ratio: 0 }
  const about = { requested: 'gpt-4o', mapped: 'gpt-4o' }
  expect(findPrice({ ...about, options: own })).toMatchObject(free)
  expect(findPrice({ ...about, options })).not.toMatchObject(free)
})

/**
 * Model, tier, and dollars per million at that tier: input, output, cached. Snapshots have
 * the tiers of their models (BerriAI/litellm#37046).
 */
test.each(LISTED.tiers)(
  '%s costs its own price at the tier %s',
  (model, tier, input, output, cached) => {
    const price = { ...priceOf(model), asked: { tier } }
    const usage = { ...USAGE, cacheWriteTokens: 0 }
    const bill = (6000 * input + 4000 * cached + 2000 * output) / 1e6
    const cost = costOf(usage, price, 1, { tier })
    expect(Math.abs(cost - bill * QUOTA_PER_DOLLAR)).toBeLessThan(1.01)
  },
)

test('Ultrafast of GPT-6.2 costs six times the standard tier from March 2027 on', () => {
  const { prices } = builtInPricesAt(Date.parse('2027-03-01T00:00:00Z'))
  expect(prices.get('gpt-6.2-sol')).toMatchObject({
    model_ratio: 1,
    tiers: { ultrafast: { input: 6, output: 6 }, priority: { input: 2, output: 2 } },
  })
})

test.each(LISTED.tools)('of %s, a call of %s costs $%f', (model, tool, dollars) => {
  expect(priceOf(model).tools?.[tool]).toBeCloseTo(dollars * QUOTA_PER_DOLLAR, 6)
})

test('one generation of Gemini has one way to count its searches', () => {
  for (const [model, { tools = {} }] of options.prices) {
    expect('google_search' in tools && 'google_search_prompt' in tools, model).toBe(false)
  }
})
