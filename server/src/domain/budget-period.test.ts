import { expect, test } from 'vitest'
import { BUDGET_PERIODS } from '@tollgate/contract'
import { nextPeriodStart, periodStart } from './budget-period.ts'

const seconds = (text: string) => Date.parse(`${text}Z`) / 1000

test.each([
  ['day', '2026-11-21T23:59:59', '2026-11-21T00:00:00'],
  ['day', '2026-11-22T00:00:00', '2026-11-22T00:00:00'],
  ['week', '2026-11-22T23:59:59', '2026-11-16T00:00:00'],
  ['week', '2026-11-23T00:00:00', '2026-11-23T00:00:00'],
  ['week', '1970-01-05T00:00:00', '1970-01-05T00:00:00'],
  ['month', '2028-02-29T12:00:00', '2028-02-01T00:00:00'],
  ['month', '2026-12-31T23:59:59', '2026-12-01T00:00:00'],
] as const)('the %s of %s began at %s', (period, at, start) => {
  expect(periodStart(period, seconds(at))).toBe(seconds(start))
})

test('the start of a period is in that period', () => {
  for (const period of BUDGET_PERIODS) {
    const start = periodStart(period, seconds('2026-11-21T12:34:56'))
    expect(periodStart(period, start)).toBe(start)
    expect(periodStart(period, start - 1)).toBeLessThan(start)
  }
})

test.each([
  ['day', '2026-12-31T23:59:59', '2027-01-01T00:00:00'],
  ['week', '2026-11-16T00:00:00', '2026-11-23T00:00:00'],
  ['month', '2027-01-31T12:00:00', '2027-02-01T00:00:00'],
  ['month', '2027-02-01T00:00:00', '2027-03-01T00:00:00'],
  ['month', '2026-12-01T00:00:00', '2027-01-01T00:00:00'],
] as const)('after the %s of %s the next begins at %s', (period, at, next) => {
  expect(nextPeriodStart(period, seconds(at))).toBe(seconds(next))
  expect(periodStart(period, seconds(next))).toBe(seconds(next))
})
