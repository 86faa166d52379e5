import { expect, test } from 'vitest'
import { usageOf } from '../../../testing/ledger/sample-usage.ts'
import { findPrice } from '../find-price.ts'
import { costOf } from '../price.ts'
import { NO_OWN_PRICES } from '../provider-cost.ts'
import { mergePrice } from './merge-price.ts'

const QUOTA_PER_DOLLAR = 500_000

/** Row, tokens that the gateway counts for the pieces, and dollars. */
test.each([
  ['a minute of audio', { per_minute: 0.006, output: 0 }, 200, 0.006],
  ['1000 characters of speech', { input: 15, output: 0 }, 1000, 0.015],
  ['an image', { per_image: 0.04, output: 0 }, 1000, 0.04],
  ['a search', { per_search: 0.002, output: 0 }, 1000, 0.002],
  ['a page', { per_page: 0.004, output: 0 }, 1000, 0.004],
])('%s costs what a feed states', (_, row, promptTokens, dollars) => {
  const prices = new Map([['a', { ...mergePrice(row, undefined), version: 'feed:F 2026-11-27' }]])
  const price = findPrice({ requested: 'a', mapped: 'a', options: { ...NO_OWN_PRICES, prices } })
  expect(price && costOf(usageOf(promptTokens), price, 1)).toBe(dollars * QUOTA_PER_DOLLAR)
})
