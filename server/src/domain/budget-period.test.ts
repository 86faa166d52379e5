import { expect, test } from 'vitest'
import { mayRun, nextPeriodStart, periodStart } from './budget-period.ts'

const seconds = (text: string) => Date.parse(`${text}Z`) / 1000

test.each([
  ['day', 'UTC', '2026-11-21T23:59:59', '2026-11-21T00:00:00', '2026-11-22T00:00:00'],
  ['day', 'UTC', '2026-12-31T00:00:00', '2026-12-31T00:00:00', '2027-01-01T00:00:00'],
  ['week', 'UTC', '2026-11-22T23:59:59', '2026-11-16T00:00:00', '2026-11-23T00:00:00'],
  ['week', 'UTC', '1970-01-05T00:00:00', '1970-01-05T00:00:00', '1970-01-12T00:00:00'],
  ['month', 'UTC', '2028-02-29T12:00:00', '2028-02-01T00:00:00', '2028-03-01T00:00:00'],
  ['month', 'UTC', '2026-12-31T23:59:59', '2026-12-01T00:00:00', '2027-01-01T00:00:00'],
  ['month', 'UTC', '2027-02-01T00:00:00', '2027-02-01T00:00:00', '2027-03-01T00:00:00'],
  ['day', 'Asia/Shanghai', '2026-11-21T15:59:59', '2026-11-20T16:00:00', '2026-11-21T16:00:00'],
  ['week', 'Asia/Shanghai', '2026-11-22T15:59:59', '2026-11-15T16:00:00', '2026-11-22T16:00:00'],
  [
    'month',
    'America/New_York',
    '2026-11-01T03:59:59',
    '2026-10-01T04:00:00',
    '2026-11-01T04:00:00',
  ],
  // The day on which clocks are set back has 25 hours.
  ['day', 'America/New_York', '2026-11-02T04:59:59', '2026-11-01T04:00:00', '2026-11-02T05:00:00'],
  ['day', 'America/New_York', '2026-03-08T12:00:00', '2026-03-08T05:00:00', '2026-03-09T04:00:00'],
  [
    'month',
    'America/New_York',
    '2026-11-30T12:00:00',
    '2026-11-01T04:00:00',
    '2026-12-01T05:00:00',
  ],
  // Clocks skip midnight: the day begins at one o'clock.
  ['day', 'Africa/Cairo', '2026-04-24T12:00:00', '2026-04-23T22:00:00', '2026-04-24T21:00:00'],
  // Clocks show midnight twice: the day begins at the first.
  ['day', 'America/Havana', '2026-11-01T12:00:00', '2026-11-01T04:00:00', '2026-11-02T05:00:00'],
  ['day', 'Asia/Kathmandu', '2026-11-21T12:00:00', '2026-11-20T18:15:00', '2026-11-21T18:15:00'],
] as const)('the %s of %s that contains %s', (period, zone, at, start, next) => {
  expect(periodStart(period, seconds(at), zone)).toBe(seconds(start))
  expect(nextPeriodStart(period, seconds(at), zone)).toBe(seconds(next))
  expect(periodStart(period, seconds(start), zone)).toBe(seconds(start))
  expect(periodStart(period, seconds(start) - 1, zone)).toBeLessThan(seconds(start))
  expect(periodStart(period, seconds(next), zone)).toBe(seconds(next))
  expect(mayRun(period, seconds(start), seconds(next) - 1)).toBe(true)
})

test('a period runs neither before its start nor long after its end', () => {
  const start = seconds('2026-12-01T00:00:00')
  expect(mayRun('month', start, seconds('2026-11-30T23:30:00'))).toBe(true)
  expect(mayRun('month', start, seconds('2026-11-30T22:59:59'))).toBe(false)
  expect(mayRun('month', start, seconds('2027-01-01T01:00:00'))).toBe(false)
})
