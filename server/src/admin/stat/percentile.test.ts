import { expect, test } from 'vitest'
import { estimatePercentile } from './percentile.ts'

const bounds = [100, 200, 400]

const estimate = (counts: number[], share: number) => estimatePercentile({ counts, bounds }, share)

test('an empty histogram has no percentile', () => {
  expect(estimate([0, 0, 0, 0], 0.5)).toBeNull()
  expect(estimate([], 0.5)).toBeNull()
})

test('values are assumed to be evenly distributed between bounds', () => {
  expect(estimate([0, 10, 0, 0], 0.5)).toBe(150)
  expect(estimate([10, 0, 0, 0], 0.95)).toBe(95)
  expect(estimate([50, 40, 10, 0], 0.95)).toBe(300)
  expect(estimate([1, 0, 0, 0], 0.5)).toBe(50)
})

test('if half of the values are below a bound, it is the median', () => {
  expect(estimate([5, 0, 0, 5], 0.5)).toBe(100)
  expect(estimate([5, 0, 5, 0], 0.5)).toBe(100)
})

test('above the last bound the percentile is that bound', () => {
  expect(estimate([0, 0, 0, 3], 0.5)).toBe(400)
  expect(estimate([9, 0, 0, 1], 0.95)).toBe(400)
})

test('no percentile is below a lower one', () => {
  const counts = [3, 0, 7, 1]
  const shares = Array.from({ length: 101 }, (_, index) => index / 100)
  const values = shares.map((share) => estimate(counts, share) ?? -1)
  expect(values).toEqual(values.toSorted((a, b) => a - b))
})
