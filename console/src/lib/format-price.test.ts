import { expect, test } from 'vitest'
import { formatPrice } from './format-price.ts'

test.each([
  [0, '$0.00'],
  [2.5, '$2.50'],
  [0.075, '$0.075'],
  [0.0000421, '$0.000042'],
  [1234.5, '$1,234.50'],
])('%d is shown as %s', (dollars, text) => {
  expect(formatPrice(dollars)).toBe(text)
})
