import { describe, expect, test } from 'vitest'
import { PROVIDER_COST_MAX } from '@tollgate/contract'
import { builtInPricesAt } from '@tollgate/contract/prices'
import { usageOf } from '../../testing/ledger/sample-usage.ts'
import { providerCostOf, providerPriceOf } from './provider-cost.ts'

const { prices } = builtInPricesAt(Date.UTC(2026, 10, 27))

const usage = usageOf(1_000_000)

function dollars(names: string[], settings: Parameters<typeof providerPriceOf>[1], used = {}) {
  const price = providerPriceOf(names, settings, prices)
  if (price === null) return null
  return [providerCostOf({ ...usage, ...used }, price) / 1e9, price.source]
}

/** $0.15 for a million tokens of input, $0.075 cached, $0.60 of output. */
const MINI = 'gpt-4o-mini'

describe('what a provider charges', () => {
  test.each([
    ['the list price', {}, {}, [0.15, 'list']],
    ['the list price of output', {}, { completionTokens: 2_000_000 }, [1.35, 'list']],
    ['the list price of a cached prompt', {}, { cachedTokens: 1_000_000 }, [0.075, 'list']],
    ['a factor of the list price', { factor: 0.5 }, {}, [0.075, 'factor']],
    ['a factor of 1', { factor: 1 }, {}, [0.15, 'list']],
    ['nothing', { factor: 0 }, {}, [0, 'factor']],
    ['the ratio of a group', { group_ratio: 2 }, {}, [0.3, 'group']],
    [
      'its own prices',
      { factor: 9, models: { [MINI]: { input: 0.1, output: 4, cached: 0.01, call: 0.5 } } },
      { cachedTokens: 400_000, cacheWriteTokens: 100_000, completionTokens: 1_000_000 },
      [0.05 + 0.004 + 0.01 + 4 + 0.5, 'table'],
    ],
    [
      'its own price of a cache write',
      { models: { [MINI]: { input: 1, output: 0, cache_write: 3, call: 0 } } },
      { cacheWriteTokens: 1_000_000 },
      [3, 'table'],
    ],
  ] as const)('is %s', (_, settings, used, expected) => {
    expect(dollars([MINI], settings, used)).toEqual(expected)
  })

  test("is that of the provider's name of the model, else of the requested name", () => {
    expect(dollars(['my-deployment', MINI], {})).toEqual([0.15, 'list'])
    expect(dollars(['gpt-4o', MINI], {})).toEqual([2.5, 'list'])
    expect(dollars(['my-deployment', 'my-model'], {})).toBeNull()
    const models = { [MINI]: { input: 7, output: 0, call: 0 } }
    expect(dollars(['gpt-4o', MINI], { models })).toEqual([7, 'table'])
  })

  test('is rounded up once, and bounded', () => {
    const one = { ...usage, promptTokens: 1, completionTokens: 1 }
    const models = { a: { input: 0.0001, output: 0.0001, call: 0 } }
    const tiny = providerPriceOf(['a'], { models }, prices)
    // 0.1 + 0.1 nano-dollars.
    expect(tiny && providerCostOf(one, tiny)).toBe(1)
    const huge = { a: { input: 1_000_000, output: 0, call: 1_000_000 } }
    const most = providerPriceOf(['a'], { models: huge }, prices)
    expect(most && providerCostOf(usage, most)).toBe(PROVIDER_COST_MAX)
  })

  test('counts audio and long prompts as the list does', () => {
    const kinds = [{ kind: 'audio_prompt', tokens: 1_000_000 }]
    // $32 for a million audio tokens, $4 for text.
    expect(dollars(['gpt-realtime'], { factor: 0.5 }, { kinds })).toEqual([16, 'factor'])
    const short = dollars(['gemini-2.5-pro'], {}, { promptTokens: 200_000 })
    const long = dollars(['gemini-2.5-pro'], {}, { promptTokens: 200_001 })
    expect([short, long]).toEqual([
      [0.25, 'list'],
      [0.500_002_5, 'list'],
    ])
  })

  test('an answer without tokens is no call', () => {
    const models = { a: { input: 0, output: 0, call: 1 } }
    const price = providerPriceOf(['a'], { models }, prices)
    expect(price && providerCostOf({ ...usage, promptTokens: 0 }, price)).toBe(0)
  })

  test.each([
    ['a tier that nobody asked for', 'gpt-6-sol', { tier: 'flex' }, 0.1],
    ['a tier unknown to the list', 'gpt-6-sol', { tier: 'odd' }, 0.2],
    ["the region of the channel's address", 'gpt-6-sol', undefined, 0.22],
    ['tools', 'gpt-6-sol', { toolCalls: [{ tool: 'web_search', calls: 3 }] }, 0.23],
    ['a search of each answer', 'sonar-pro', undefined, 0.306],
  ] as const)('includes %s', (title, model, served, expected) => {
    const price = providerPriceOf([model], {}, prices)
    const region = title.includes('region') ? 'eu' : undefined
    const short = { ...usage, promptTokens: 100_000 }
    const cost = price && providerCostOf(short, price, { served, region, asked: undefined })
    expect((cost ?? 0) / 1e9).toBeCloseTo(expected, 9)
  })
})
