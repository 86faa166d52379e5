import { expect, test } from 'vitest'
import { validUntil } from './quota-validity.ts'

test.each([
  ['2026-11-29T13:00:00Z', 'UTC', '2027-08-29'],
  ['2026-11-29T17:00:00Z', 'Asia/Shanghai', '2027-08-30'],
  ['2026-05-31T12:00:00Z', 'UTC', '2027-02-28'],
])('quota of %s in %s is valid until %s', (time, zone, day) => {
  expect(validUntil(zone, Date.parse(time) / 1000)).toBe(day)
})
