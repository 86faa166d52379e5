import { expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { roundedUpIfClear, roundedUpProduct } from './exact-arithmetic.ts'

test.each([
  [0.000_001, 1],
  [2.5, 3],
  [3 - 1e-6, 3],
  [3 + 1e-6, 4],
  [123_456_789.25, 123_456_790],
])('%f is rounded up to %i', (cost, expected) => {
  expect(roundedUpIfClear(cost)).toBe(expected)
})

test.each([0, 3, 3 - 1e-13, 3 + 1e-13, 1e13 + 0.5, QUOTA_MAX + 0.5, Number.NaN, Infinity])(
  '%f is left to exact arithmetic',
  (cost) => {
    expect(roundedUpIfClear(cost)).toBeNull()
  },
)

const NANO = 1_000_000_000

test.each([
  [40 * NANO, 0.075, 3],
  [41 * NANO, 0.075, 4],
  [7 * NANO, 1, 7],
  [7.5 * NANO, 2, 15],
  [0, 1, 0],
])('%i parts of 10^-9 at a ratio of %f cost %i', (weighted, ratio, cost) => {
  expect(roundedUpProduct(weighted, ratio, 1)).toBe(cost)
})

test('a whole number of quota at the ratio of a group is left to exact arithmetic', () => {
  expect(roundedUpProduct(10 * NANO, 1, 0.5)).toBeNull()
})
