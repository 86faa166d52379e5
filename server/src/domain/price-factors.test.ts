import { expect, test } from 'vitest'
import { usageOf } from '../../testing/ledger/sample-usage.ts'
import { chargedPrice, dearestPrice, regionOfAddress } from './price-factors.ts'
import { basisOf, costOf, recomputeCost, type Price, worstCase } from './price.ts'

const price: Price = {
  price_model: 'm',
  price_version: '2026-11-26',
  model_ratio: 1,
  completion_ratio: 5,
  cache_ratio: 0.1,
  cache_write_ratio: 1.25,
  kind_ratios: { audio_completion: 10 },
  long_prompts: [{ above: 1000, input: 2, output: 1.5 }],
  tiers: {
    flex: { input: 0.5, output: 0.5, cached: 1 },
    priority: { input: 2, output: 2 },
    ultrafast: { input: 6, output: 6 },
  },
  regions: { us: 1.1, any: 1.2 },
  tools: { web_search: 5000 },
}

const usage = usageOf(1000, 100, { cachedTokens: 400 })

const basis = (given: Price, served: Parameters<typeof chargedPrice>[2]) =>
  basisOf({
    usage,
    usageSource: 'reported',
    price: given,
    group: 'vip',
    groupRatio: 2,
    held: 0,
    served,
  })

test('a part of a tier may have its own multiple', () => {
  // (600 + 400 x 0.1 x 2 + 100 x 5) x 0.5 x 2
  expect(basis(price, { tier: 'flex' })).toMatchObject({
    model_ratio: 0.5,
    cache_ratio: 0.2,
    completion_ratio: 5,
    cost: 1180,
  })
})

test('a receipt alone is enough to compute its charge again, with tools and factors', () => {
  const expected = [{ tool: 'web_search', calls: 1 }]
  const asked = { ...price, asked: { tier: 'priority', toolCalls: expected } }
  const served = {
    tier: 'priority',
    region: 'us',
    toolCalls: [
      { tool: 'web_search', calls: 3 },
      { tool: 'unknown', calls: 9 },
    ],
  }
  const charged = basis(asked, served)
  expect(charged.factors?.map(({ name }) => name)).toEqual(['priority', 'us'])
  expect(charged.tools).toEqual([{ tool: 'web_search', calls: 3, units: 5000 }])
  // ((600 + 40 + 500) x 2.2 + 3 x 5000) x 2
  expect(charged.cost).toBe(35_016)
  expect(recomputeCost(charged)).toBe(charged.cost)
  expect(costOf(usage, asked, 2, served)).toBe(charged.cost)
  // Calls of tools that were not asked for are not charged.
  expect(basis(price, served)).not.toHaveProperty('tools')
})

test('a dearer tier is charged as far as the request asked for it', () => {
  const ratio = (tier: string | undefined, asked?: string) => {
    const given = asked === undefined ? price : { ...price, asked: { tier: asked } }
    return chargedPrice(given, 10, tier === undefined ? {} : { tier }).price.model_ratio
  }
  expect(ratio('ultrafast')).toBe(1)
  expect(ratio('ultrafast', 'priority')).toBe(2)
  expect(ratio('priority', 'ultrafast')).toBe(2)
  expect(ratio(undefined, 'priority')).toBe(1)
  expect(ratio('flex', 'priority')).toBe(0.5)
  expect(ratio('constructor', 'priority')).toBe(1)
})

test("the region of the channel's address applies to every answer", () => {
  const regional = { ...price, region: 'eu' }
  expect(chargedPrice(regional, 10, undefined).factors).toMatchObject([
    { kind: 'region', name: 'eu', input: 1.2 },
  ])
  expect(chargedPrice(price, 10, { region: 'eu' }).factors).toEqual([])
})

test('tiers and long prompts multiply', () => {
  const asked = { ...price, asked: { tier: 'priority' } }
  const { price: charged, isLong } = chargedPrice(asked, 1001, { tier: 'priority' })
  expect([charged.model_ratio, charged.completion_ratio, isLong]).toEqual([4, 3.75, true])
  expect(charged.kind_ratios?.audio_completion).toBe(7.5)
})

test('the worst case covers what was asked for, and no less than any tier that may be served', () => {
  const bounds = { promptTokens: 1000, outputTokens: 100, choices: 1, groupRatio: 1 }
  const toolCalls = [{ tool: 'web_search', calls: 2 }]
  const asked = { ...price, asked: { tier: 'priority', region: 'us', toolCalls } }
  const held = worstCase({ ...bounds, price: asked })
  for (const tier of ['flex', 'priority', 'ultrafast']) {
    const served = { tier, region: 'us', toolCalls }
    expect(costOf(usage, asked, 1, served)).toBeLessThanOrEqual(held)
  }
  expect(dearestPrice(price, 10)).toBe(price)
  expect(worstCase({ ...bounds, price })).toBeLessThan(held)
})

test.each([
  ['https://eu.api.openai.com', 'eu'],
  ['https://US.api.openai.com/v1', 'us'],
  ['https://api.openai.com', undefined],
  ['https://eu.api.openai.com.evil.example', undefined],
])('%s is in the region %s', (address, region) => {
  expect(regionOfAddress(address)).toBe(region)
})
