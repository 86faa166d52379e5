import { describe, expect, test } from 'vitest'
import {
  formatPrice,
  parseRatio,
  parseRatios,
  pricesOf,
  ratioRows,
  withRatio,
} from './ratio-rows.ts'

const NONE = {
  ModelRatio: {},
  CompletionRatio: {},
  CacheRatio: {},
  CacheWriteRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
  ImageRatio: {},
}

test('a row has the values of its model from all tables', () => {
  const rows = ratioRows({ ...NONE, ModelRatio: { b: 2, a: 1 }, CacheRatio: { c: 0.5 } })
  expect(rows).toEqual([
    { model: 'a', ratios: { ModelRatio: 1 } },
    { model: 'b', ratios: { ModelRatio: 2 } },
    { model: 'c', ratios: { CacheRatio: 0.5 } },
  ])
})

test("a model may have the name of an object's built-in member", () => {
  const rows = ratioRows({ ...NONE, ModelRatio: { constructor: 3 } })
  expect(rows).toEqual([{ model: 'constructor', ratios: { ModelRatio: 3 } }])
})

test('a ratio is changed in its place, added at the end, or removed', () => {
  const table = { a: 1, b: 2 }
  expect(JSON.parse(withRatio(table, 'a', 5))).toEqual({ a: 5, b: 2 })
  expect(Object.keys(parseRatios(withRatio(table, 'a', 5)) ?? {})).toEqual(['a', 'b'])
  expect(Object.keys(parseRatios(withRatio(table, 'c', 3)) ?? {})).toEqual(['a', 'b', 'c'])
  expect(parseRatios(withRatio(table, 'a', undefined))).toEqual({ b: 2 })
})

test('a text that is no table of numbers has no rows', () => {
  for (const text of ['', '[]', '{"a": "1"}', '{"a": 1']) {
    expect(parseRatios(text)).toBeNull()
  }
})

test('only numbers from zero up are ratios', () => {
  expect(parseRatio(' 1.5 ')).toBe(1.5)
  expect(parseRatio('')).toBeUndefined()
  expect(parseRatio('.')).toBeNull()
  expect(parseRatio('-1')).toBeNull()
  expect(parseRatio('Infinity')).toBeNull()
})

describe('prices per million tokens', () => {
  const row = { model: 'gpt-4o', ratios: { ModelRatio: 1.25, CompletionRatio: 4, CacheRatio: 0.5 } }

  test('come from the ratios and the quota of a dollar', () => {
    expect(pricesOf(row, 500_000)).toEqual({
      ModelRatio: 2.5,
      CompletionRatio: 10,
      CacheRatio: 1.25,
      CacheWriteRatio: undefined,
      AudioRatio: undefined,
      AudioCompletionRatio: undefined,
      ImageRatio: undefined,
    })
    expect(pricesOf(row, 1_000_000).ModelRatio).toBe(1.25)
  })

  test('are unknown without a ratio of the model', () => {
    expect(pricesOf({ model: 'x', ratios: { CompletionRatio: 4 } }, 500_000).CompletionRatio).toBe(
      undefined,
    )
  })

  test('have two digits, and more if needed', () => {
    expect(formatPrice(2.5)).toBe('$2.50')
    expect(formatPrice(0.0375)).toBe('$0.0375')
    expect(formatPrice(1200)).toBe('$1,200.00')
  })
})
