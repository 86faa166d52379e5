import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPacked, packRows, unpackRows } from './packed-rows.ts'

const value = fc.oneof(fc.maxSafeInteger(), fc.string(), fc.constant(null))
const row = fc.tuple(fc.maxSafeInteger(), fc.string(), fc.maxSafeInteger(), value)

test('packed rows are the same rows again, whatever their columns have', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 100, maxLength: 130 }), (rows) => {
      const packed = packRows(rows)
      expect(isPacked(packed)).toBe(true)
      const found = isPacked(packed) ? Array.from(unpackRows(packed), (each) => [...each]) : []
      expect(found).toEqual(rows)
    }),
    { numRuns: 20 },
  )
})

test('a few rows cross as they are', () => {
  const rows = [[1, 'a', null]]
  expect(packRows(rows)).toBe(rows)
})
