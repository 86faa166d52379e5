import { expect, test } from 'vitest'
import { formatPrice, formatShortPrice } from './format-price.ts'

test.each([
  [0, '$0.00'],
  [2.5, '$2.50'],
  [0.075, '$0.075'],
  [0.0000421, '$0.000042'],
  [1234.5, '$1,234.50'],
])('%d is shown as %s', (dollars, text) => {
  expect(formatPrice(dollars)).toBe(text)
})

test.each([
  [2.5, '$2.50'],
  [0.357143, '$0.3571'],
  [0.075, '$0.075'],
  [0.0000421, '$0.000042'],
])('%d is shown as %s in a column', (dollars, text) => {
  expect(formatShortPrice(dollars)).toBe(text)
})
