import { expect, test } from 'vitest'
import { OPTIONS } from '@tollgate/contract'
import { defaultPrices } from '@tollgate/contract/prices'
import { effectiveRatios, ownRatios } from './price-tables.ts'
import { findPrice } from './price.ts'

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
}

test('displayed prices are the charged ones', () => {
  const [models, completion, cache, write, audio, speech, image] = TABLES.map((table) =>
    effectiveRatios(table, options[table]),
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
  expect(ownRatios(table, effectiveRatios(table, own))).toEqual(own)
  expect(ownRatios(table, effectiveRatios(table, {}))).toEqual({})
  expect(ownRatios(table, own)).toEqual(own)
})
