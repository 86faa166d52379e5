import { describe, expect, test } from 'vitest'
import { builtInPricesAt } from '@tollgate/contract/prices'
import { costRankOf, lossOf } from './margin.ts'
import { providerPriceOf } from './provider-cost.ts'

const { prices } = builtInPricesAt(Date.UTC(2026, 10, 27))

/** $0.15 for a million tokens of input, $0.075 cached, $0.60 of output: as the list has it. */
const MINI = 'gpt-4o-mini'
const listed = {
  price_model: MINI,
  price_version: '',
  model_ratio: 0.075,
  completion_ratio: 4,
  cache_ratio: 0.5,
  cache_write_ratio: 1,
}
const sale = { price: listed, groupRatio: 1, quotaPerUnit: 500_000 }
const provider = (settings: Parameters<typeof providerPriceOf>[1]) => {
  const price = providerPriceOf([MINI], settings, prices)
  if (price === null) throw new Error('no price')
  return price
}

describe('a sale below cost', () => {
  test.each([
    ['at the list price, none', sale, {}, null],
    ['above the list price, none', { ...sale, groupRatio: 1.2 }, {}, null],
    [
      'below the list price',
      { ...sale, groupRatio: 0.5 },
      {},
      { part: 'input', price: 0.075, cost: 0.15 },
    ],
    ['with a dearer provider', sale, { factor: 2 }, { part: 'input', price: 0.15, cost: 0.3 }],
    ['with a cheaper provider, none', { ...sale, groupRatio: 0.5 }, { group_ratio: 0.5 }, null],
    [
      'of output only',
      { ...sale, price: { ...listed, completion_ratio: 3 } },
      {},
      { part: 'output', price: 0.45, cost: 0.6 },
    ],
    [
      'of cached input only',
      { ...sale, price: { ...listed, cache_ratio: 0.1 } },
      {},
      { part: 'cached', price: 0.015, cost: 0.075 },
    ],
    [
      'of a call',
      { ...sale, price: { ...listed, model_ratio: 5, completion_ratio: 0, per_call: true } },
      { models: { [MINI]: { input: 0, output: 0, call: 0.02 } } },
      { part: 'call', price: 0.01, cost: 0.02 },
    ],
    [
      'of a call that is dear, none',
      { ...sale, price: { ...listed, model_ratio: 5, per_call: true } },
      {},
      null,
    ],
    ['for nothing', { ...sale, groupRatio: 0 }, {}, { part: 'input', price: 0 }],
    ['for nothing where it costs nothing, none', { ...sale, groupRatio: 0 }, { factor: 0 }, null],
  ] as const)('%s', (_, given, settings, expected) => {
    const loss = lossOf(given, provider(settings))
    if (expected === null) expect(loss).toBeNull()
    else expect(loss).toMatchObject(expected)
  })
})

test('channels are ordered by cost, and unknown costs come last', () => {
  const ranks = [provider({ factor: 0.5 }), provider({}), null].map(costRankOf)
  expect(ranks).toEqual([0.5 * (3 * 150_000 + 600_000), 3 * 150_000 + 600_000, Infinity])
})
