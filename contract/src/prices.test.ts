import { expect, test } from 'vitest'
import {
  builtInPricesAt,
  defaultPrices,
  PRICE_TABLE_DATE,
  priceOf,
  type PriceRow,
  priceSections,
  rowAt,
} from './prices.ts'

const ROWS = Object.values(priceSections).flatMap((section) =>
  Object.entries(section.models).map(([model, row]) => ({ model, row, section })),
)

test('each name has one row', () => {
  const names = ROWS.flatMap(({ model, row }) => [model, ...(row.aliases ?? [])])
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(Object.keys(defaultPrices)).toEqual(names)
})

test('each row names a page, and a day that the date of the table includes', () => {
  for (const { model, row, section } of ROWS) {
    expect(row.source ?? section.source, model).toMatch(/^https:\/\/[a-z0-9.]+\/?/)
    const date = row.date ?? section.date
    expect(date, model).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(date <= PRICE_TABLE_DATE, model).toBe(true)
    expect(row.shutdown ?? '2026-01-01', model).toMatch(/^20\d\d-\d\d-\d\d$/)
  }
})

test('each row has one price of input, and no other member than those of the form', () => {
  const members: readonly (keyof PriceRow)[] = [
    ...(['aliases', 'input', 'output', 'cached', 'cache_write', 'cache_write_1h'] as const),
    ...(['cache_write_12h', 'audio_input', 'audio_output', 'image_input', 'long'] as const),
    ...(['per_image', 'per_minute', 'per_search', 'per_page', 'per_dollar'] as const),
    ...(['tiers', 'regions', 'tools', 'changes', 'off_peak'] as const),
    ...(['shutdown', 'source', 'date', 'note'] as const),
  ]
  for (const { model, row } of ROWS) {
    expect(members, model).toEqual(expect.arrayContaining(Object.keys(row)))
    const inputs = [row.input, row.per_image, row.per_minute, row.per_search, row.per_page]
    expect(inputs.filter((price) => price !== undefined).length, model).toBe(1)
    expect(row.output === undefined, model).toBe(row.input === undefined)
  }
})

test('changes are in order, after the day of the table, and complete', () => {
  for (const { model, row } of ROWS) {
    const { changes = [] } = row
    const days = changes.map(({ from }) => from)
    expect(days, model).toEqual(days.toSorted())
    for (const change of changes) {
      expect(change.from > PRICE_TABLE_DATE, model).toBe(true)
      expect(new Date(`${change.from}T00:00:00Z`).toISOString(), model).toContain(change.from)
      expect(Object.keys(change), model).toEqual(expect.arrayContaining(['input', 'output']))
    }
  }
})

test('off-peak prices are cheaper, and their hours are in order', () => {
  for (const { model, row } of ROWS) {
    const { factor = 0.5, peak_hours = [], peak_days = [] } = row.off_peak ?? {}
    const hours = peak_hours.flatMap(({ from, to }) => [from, to])
    expect(factor > 0 && factor < 1, model).toBe(true)
    expect(hours, model).toEqual(hours.toSorted((a, b) => a - b))
    const isInDay = [...hours, ...peak_days].every((part) => part >= 0 && part <= 24)
    expect(isInDay, model).toBe(true)
  }
})

test('prices are listed until the next moment at which one changes', () => {
  const untilOf = (time: string) => new Date(builtInPricesAt(Date.parse(time)).until).toISOString()
  expect(untilOf('2026-11-27T00:00:00Z')).toBe('2026-11-27T01:00:00.000Z')
  expect(untilOf('2026-11-27T23:00:00Z')).toBe('2026-11-28T00:00:00.000Z')
  const row = { input: 1, output: 2, per_dollar: 7 }
  const changes = [{ from: '2027-01-01', input: 3, output: 6 }]
  const end = Date.parse('2027-01-01')
  expect(rowAt({ ...row, changes }, end - 1)).toMatchObject({ row, mark: '', until: end })
  expect(rowAt({ ...row, changes }, end)).toMatchObject({
    row: { input: 3, output: 6, per_dollar: 7 },
    mark: '+since-2027-01-01',
    until: Infinity,
  })
})

test('no price makes a charge negative or endless, and no longer prompt is cheaper', () => {
  for (const [model, price] of Object.entries(defaultPrices)) {
    const { long_prompts = [], tiers = {}, regions = {}, tools = {}, ...ratios } = price
    const factors = Object.values(tiers).flatMap((tier) => Object.values(tier))
    for (const factor of [...factors, ...Object.values(regions)]) {
      expect(factor >= 0.2 && factor <= 6, model).toBe(true)
    }
    for (const dollars of Object.values(tools)) {
      expect(dollars > 0 && dollars <= 0.05, model).toBe(true)
    }
    for (const ratio of Object.values(ratios)) {
      expect(Number.isFinite(ratio) && ratio >= 0 && ratio <= 1000, model).toBe(true)
    }
    expect(price.cache_ratio, model).toBeLessThanOrEqual(1)
    let last = { above: 0, input: 1, output: 1, cached: 1 }
    for (const tier of long_prompts) {
      expect(tier.above, model).toBeGreaterThan(last.above)
      const next = { cached: tier.input, ...tier }
      expect(Math.min(next.input / last.input, next.output / last.output), model).toBeGreaterThan(1)
      expect(next.cached, model).toBeGreaterThanOrEqual(last.cached)
      last = next
    }
  }
})

test('the ratios of a row are factors of its input, at $2 per million for 1', () => {
  const row = { input: 4, output: 20, cached: 0.4, cache_write: 5, cache_write_1h: 8 }
  const long = [{ above: 200_000, inclusive: true, input: 8, output: 30, cached: 0.6 }]
  expect(priceOf({ ...row, audio_input: 32, audio_output: 64, image_input: 5, long })).toEqual({
    model_ratio: 2,
    completion_ratio: 5,
    cache_ratio: 0.1,
    cache_write_ratio: 1.25,
    long_cache_write_ratio: 2,
    audio_ratio: 8,
    audio_completion_ratio: 16,
    image_ratio: 1.25,
    long_prompts: [{ above: 199_999, input: 2, output: 1.5, cached: 1.5 }],
  })
  const plain = { completion_ratio: 0, cache_ratio: 1, cache_write_ratio: 1 }
  const units = [{ input: 0.5, output: 0 }, { per_image: 0.04 }, { per_minute: 0.006 }]
  const others = [{ per_search: 0.002 }, { per_page: 0.004 }]
  expect([...units, ...others].map((one) => priceOf(one))).toEqual(
    [0.25, 20, 15, 1, 2].map((model_ratio) => ({ model_ratio, ...plain })),
  )
  expect(priceOf({ input: 14, output: 28 }, 7).model_ratio).toBe(1)
  expect(priceOf({ input: 14, output: 28, per_dollar: 1 }, 7).model_ratio).toBe(7)
  expect(priceOf({ input: 0, output: 0 })).toEqual({
    ...plain,
    model_ratio: 0,
    completion_ratio: 1,
  })
})
