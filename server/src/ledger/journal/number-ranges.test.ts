import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NumberRanges } from './number-ranges.ts'

test('numbers in any order are recorded once, and gaps are listed', () => {
  const number = fc.integer({ min: 1, max: 30 })
  fc.assert(
    fc.property(fc.array(number, { maxLength: 60 }), fc.nat(35), (numbers, from) => {
      const ranges = new NumberRanges()
      const known = new Set<number>()
      for (const next of numbers) {
        expect(ranges.add(next)).toBe(!known.has(next))
        known.add(next)
      }
      const last = Math.max(0, ...known)
      const missing = ranges
        .gaps(from)
        .flatMap(({ first, last: end }) =>
          Array.from({ length: end - first + 1 }, (_, index) => first + index),
        )
      const expected = Array.from({ length: last }, (_, index) => index + 1)
      expect(missing).toEqual(expected.filter((one) => one > from && !known.has(one)))
    }),
  )
})

test('adjacent gaps are listed as one', () => {
  const ranges = new NumberRanges()
  for (const number of [1, 2, 6, 7, 9]) ranges.add(number)
  expect(ranges.gaps(0)).toEqual([
    { first: 3, last: 5 },
    { first: 8, last: 8 },
  ])
})
