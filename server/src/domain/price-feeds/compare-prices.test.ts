import { expect, test } from 'vitest'
import { listedPrice, type PriceRow, priceOf } from '@tollgate/contract/prices'
import { comparePrices } from './compare-prices.ts'

const row: PriceRow = { input: 2, output: 10, cached: 0.2, cache_write: 2.5 }

const compare = (
  feed: Record<string, PriceRow>,
  prices: Record<string, PriceRow>,
  { applied = [], sold = {} }: { applied?: string[]; sold?: object } = {},
) =>
  comparePrices({
    feed: new Map(Object.entries(feed).map(([name, its]) => [name, { vendor: 'V', row: its }])),
    prices: new Map(
      Object.entries(prices).map(([name, its]) => [name, listedPrice(priceOf(its), 'now')]),
    ),
    applied: new Map(applied.map((name) => [name, { vendor: 'V' }])),
    sold: new Map(Object.entries(sold)),
  })

test('new, dearer, cheaper, mixed and removed prices, with the effect on last week', () => {
  const tokens = { prompt: 3_000_000, completion: 1_000_000 }
  const differences = compare(
    {
      added: row,
      cheaper: { ...row, input: 1, cached: 0.1, cache_write: 1.25 },
      dearer: { ...row, output: 15 },
      mixed: { ...row, input: 1, output: 20, cached: 0.1, cache_write: 1.25 },
      same: row,
    },
    { cheaper: row, dearer: row, gone: row, mixed: row, others: row, same: row },
    { applied: ['gone', 'same'], sold: { cheaper: tokens, dearer: tokens } },
  )
  const before = { input: 2, output: 10, cached: 0.2 }
  expect(differences).toEqual([
    {
      model: 'added',
      vendor: 'V',
      kind: 'new',
      before: null,
      after: before,
      percent: 0,
      effect: 0,
    },
    {
      model: 'cheaper',
      vendor: 'V',
      kind: 'cheaper',
      before,
      after: { input: 1, output: 10, cached: 0.1 },
      percent: 50,
      effect: -3,
    },
    {
      model: 'dearer',
      vendor: 'V',
      kind: 'dearer',
      before,
      after: { ...before, output: 15 },
      percent: 50,
      effect: 5,
    },
    expect.objectContaining({ model: 'gone', kind: 'removed', before, after: null }),
    expect.objectContaining({ model: 'mixed', kind: 'mixed', percent: 100 }),
  ])
})

test('prices that the feed does not state stay as they are', () => {
  const { input = 0, output = 0 } = row
  const long = [{ above: 1000, input: 4, output: 20 }]
  expect(compare({ a: { input, output } }, { a: { ...row, long, audio_input: 9 } })).toEqual([])
  const [dearer] = compare({ a: { input: 4, output } }, { a: row })
  expect(dearer?.after).toEqual({ input: 4, output: 10, cached: 0.4 })
})

test('an off-peak hour is no difference to a feed of peak prices', () => {
  const prices = new Map([['a', listedPrice(priceOf(row), 'off-peak', 0.5)]])
  const feed = new Map([['a', { vendor: 'V', row }]])
  expect(comparePrices({ feed, prices, applied: new Map(), sold: new Map() })).toEqual([])
})
