import { expect, test } from 'vitest'
import { spanOf } from '../../ui/chart/span.ts'
import { todaySpan } from './today-span.ts'

const HOUR = 3600
const NOON_IN_KOLKATA = Date.UTC(2026, 10, 28, 6, 30) / 1000

test.each(['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/New_York'])(
  'today begins as on the dashboard in %s',
  (zone) => {
    const { today, query } = spanOf('2d', NOON_IN_KOLKATA, zone)
    const span = { start_timestamp: today, end_timestamp: query.end_timestamp }
    expect(todaySpan(NOON_IN_KOLKATA, zone)).toEqual(span)
  },
)

test('before its first whole hour, today is that hour', () => {
  const start = Date.UTC(2026, 10, 27, 19) / 1000
  const span = { start_timestamp: start, end_timestamp: start + HOUR }
  expect(todaySpan(Date.UTC(2026, 10, 27, 18, 45) / 1000, 'Asia/Kolkata')).toEqual(span)
})
