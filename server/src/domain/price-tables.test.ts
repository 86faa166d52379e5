import { expect, test } from 'vitest'
import { OPTIONS } from '@tollgate/contract'
import { builtInPricesAt, defaultPrices } from '@tollgate/contract/prices'
import { findPrice } from './find-price.ts'
import { effectiveRatios, ownRatios } from './price-tables.ts'

const TABLES = [
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
] as const

const options = {
  ModelRatio: { 'gpt-4o': 7, mine: 1 },
  CompletionRatio: { 'gpt-4o': 3 },
  CacheRatio: { mine: 0.5 },
  CacheWriteRatio: {},
  AudioRatio: { mine: 2 },
  AudioCompletionRatio: {},
  ImageRatio: {},
  DefaultModelRatio: OPTIONS.DefaultModelRatio.default,
  ModelPrice: {},
  QuotaPerUnit: 500_000,
  prices: builtInPricesAt(Date.parse('2026-11-27T08:00:00Z')).prices,
}

test('displayed prices are the charged ones', () => {
  const [models, completion, cache, write, audio, speech, image] = TABLES.map((table) =>
    effectiveRatios(table, options[table], options.prices),
  )
  expect(Object.keys(models ?? {})).toEqual([...Object.keys(defaultPrices), 'mine'])
  for (const name of Object.keys(defaultPrices)) {
    expect(findPrice({ requested: name, mapped: name, options })).toMatchObject({
      model_ratio: models?.[name],
      completion_ratio: completion?.[name],
      cache_ratio: cache?.[name],
      cache_write_ratio: write?.[name],
    })
    const { kind_ratios = {} } = findPrice({ requested: name, mapped: name, options }) ?? {}
    expect(kind_ratios.audio_prompt).toBe(audio?.[name])
    expect(kind_ratios.audio_completion).toBe(speech?.[name])
    expect(kind_ratios.image_prompt).toBe(image?.[name])
  }
})

test.each(TABLES)('only differences of %s to the built-in table are stored', (table) => {
  const own = { 'gpt-4o': 123, unknown: 1, constructor: 1 }
  const { prices } = options
  expect(ownRatios(table, effectiveRatios(table, own, prices), prices)).toEqual(own)
  expect(ownRatios(table, effectiveRatios(table, {}, prices), prices)).toEqual({})
  expect(ownRatios(table, own, prices)).toEqual(own)
})

test('tables show the price of peak hours, so that writing them back stores no price', () => {
  const offPeak = builtInPricesAt(Date.parse('2026-11-28T12:00:00Z')).prices
  const peak = builtInPricesAt(Date.parse('2026-11-27T08:00:00Z')).prices
  const read = effectiveRatios('ModelRatio', {}, offPeak)
  expect(read['deepseek-v4-pro']).toBe(0.66)
  expect(offPeak.get('deepseek-v4-pro')).toMatchObject({ model_ratio: 0.33 })
  expect(ownRatios('ModelRatio', read, peak)).toEqual({})
  expect(ownRatios('ModelRatio', effectiveRatios('ModelRatio', {}, peak), offPeak)).toEqual({})
})
