import { expect, test } from 'vitest'
import {
  filterQuery,
  hasSum,
  isFiltered,
  NO_FILTER,
  parseLogFilter,
  rangeBounds,
  withLogFilter,
} from './log-search.ts'

const NOW = 1_800_000_000

test('requests everything up to one hour from now by default', () => {
  expect(rangeBounds(NO_FILTER, NOW)).toEqual({ start: 0, end: NOW + 3600 })
  expect(isFiltered(NO_FILTER)).toBe(false)
})

test('starts today at local midnight, also on the day the clocks change', () => {
  const { start } = rangeBounds({ ...NO_FILTER, range: 'today' }, NOW)
  const midnight = new Date(start * 1000)
  expect([midnight.getHours(), midnight.getMinutes(), midnight.getSeconds()]).toEqual([0, 0, 0])
  expect(NOW - start).toBeLessThan(25 * 3600)
})

test('counts the other presets back from now', () => {
  expect(NOW - rangeBounds({ ...NO_FILTER, range: 'hour' }, NOW).start).toBe(3600)
  expect(NOW - rangeBounds({ ...NO_FILTER, range: 'week' }, NOW).start).toBe(7 * 86_400)
  expect(NOW - rangeBounds({ ...NO_FILTER, range: 'month' }, NOW).start).toBe(30 * 86_400)
})

test('an address returns the filter it was made of, and an invalid one returns none', () => {
  const filter = {
    ...NO_FILTER,
    type: 2,
    range: 'custom' as const,
    start_timestamp: 5,
    end_timestamp: 9,
    model_name: 'gpt-4o',
    channel: '12',
  }
  expect(parseLogFilter(withLogFilter(new URLSearchParams('p=3&size=10'), filter))).toEqual(filter)
  expect(parseLogFilter(new URLSearchParams('type=x&range=year&end_timestamp=-1'))).toEqual(
    NO_FILTER,
  )
})

test('a new filter leads to the first page, and bounds without a custom range are dropped', () => {
  const search = withLogFilter(new URLSearchParams('p=3&size=10&start_timestamp=5'), {
    ...NO_FILTER,
    range: 'week',
    start_timestamp: 5,
  })
  expect(search.toString()).toBe('size=10&range=week')
})

test('values that the server would refuse are dropped', () => {
  expect(filterQuery(NO_FILTER, NOW).channel).toBeUndefined()
  for (const bad of ['channel=abc', 'channel=0', 'user_id=1.5', 'outcome=won', 'min_quota=-1']) {
    expect([bad, parseLogFilter(new URLSearchParams(bad))]).toEqual([bad, NO_FILTER])
  }
  expect(filterQuery({ ...NO_FILTER, channel: '7' }, NOW).channel).toBe(7)
  expect(filterQuery({ ...NO_FILTER, stream: 'true' }, NOW).stream).toBe('true')
})

test('rows without usage have no sum', () => {
  expect([0, 2, 1, 3, 4].map((type) => hasSum({ ...NO_FILTER, type }))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
