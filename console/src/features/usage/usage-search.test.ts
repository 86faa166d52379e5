import { expect, test } from 'vitest'
import { nextDimension, parseUsageSearch, withUsageSearch } from './usage-search.ts'
import { usageSpan } from './usage-span.ts'

const DAY = 86_400
const WINTER = Date.parse('2026-11-27T10:00:00Z') / 1000
const MIDNIGHT = 20_000 * DAY
const NOW = MIDNIGHT + 10.5 * 3600

const parse = (text: string, isAdmin = true) => parseUsageSearch(new URLSearchParams(text), isAdmin)

test('invalid choices fall back, and users have no dimensions of administrators', () => {
  expect(parse('')).toMatchObject({ metric: 'quota', by: 'model', range: '7d' })
  expect(parse('metric=margin&by=user')).toMatchObject({ metric: 'margin', by: 'user' })
  expect(parse('metric=margin&by=user', false)).toMatchObject({ metric: 'quota', by: 'model' })
  expect(parse('metric=latency&by=group')).toMatchObject({ metric: 'quota', by: 'group' })
  expect(parse('range=custom&from=2026-01-02&to=2026-01-01')).toMatchObject({
    asked: 'custom',
    range: '7d',
  })
  for (const date of ['2026-13-01', '0202-01-01', 'today']) {
    expect(parse(`range=custom&from=${date}&to=2026-03-01`)).toMatchObject({
      from: '',
      range: '7d',
    })
  }
})

test('filters name models and ids, and leave out groups', () => {
  const text = 'by=group&model=gpt-4o&user=7&channel=x'
  expect(parse(text)).toMatchObject({ by: 'model', filters: { model: 'gpt-4o', user: '7' } })
  expect(parse(text, false).filters).toEqual({ model: 'gpt-4o' })
  expect(nextDimension(parse('by=user'), true)).toBe('model')
  expect(nextDimension(parse('by=model&token=1', false), false)).toBe('endpoint')
  const slow = parse('by=model&token=1&metric=latency', false)
  expect(nextDimension(slow, false)).toBe('model')
  const less = withUsageSearch(new URLSearchParams('user=7&model=o3'), { filters: { user: '7' } })
  expect(less.toString()).toBe('user=7')
})

test('the address keeps what is chosen', () => {
  const search = withUsageSearch(new URLSearchParams(), { metric: 'requests', from: '' })
  expect(search.toString()).toBe('metric=requests')
})

test('today so far is compared with yesterday at the same hour', () => {
  const { span, query } = usageSpan(parse('range=today'), NOW, 'UTC')
  expect(query).toMatchObject({
    start_timestamp: MIDNIGHT,
    end_timestamp: MIDNIGHT + 11 * 3600,
    compare_start_timestamp: MIDNIGHT - DAY,
    step: 'hour',
  })
  expect(span.query.end_timestamp).toBe(MIDNIGHT + 11 * 3600)
})

test('a week is compared with the week before', () => {
  const { query } = usageSpan(parse('range=7d'), NOW, 'UTC')
  expect(query.start_timestamp).toBe(MIDNIGHT - 6 * DAY)
  expect(query.compare_start_timestamp).toBe(MIDNIGHT - 13 * DAY)
})

test('chosen dates begin and end at midnight of the zone', () => {
  const { query } = usageSpan(
    parse('range=custom&from=2024-01-01&to=2024-01-02'),
    NOW,
    'Asia/Shanghai',
  )
  const start = Date.parse('2023-12-31T16:00:00Z') / 1000
  expect([query.start_timestamp, query.end_timestamp]).toEqual([start, start + 2 * DAY])
})

test('chosen days of the other season begin at its midnight, and no hour is left out', () => {
  const spanOfDays = (from: string, to: string) =>
    usageSpan(parse(`range=custom&from=${from}&to=${to}`), WINTER, 'Europe/Berlin').span.query
  const summer = Date.parse('2026-06-30T22:00:00Z') / 1000
  expect(spanOfDays('2026-07-01', '2026-07-02')).toMatchObject({
    start_timestamp: summer,
    end_timestamp: summer + 2 * DAY,
    utc_offset: 120,
  })
  const query = spanOfDays('2026-10-24', '2026-10-26')
  expect(query.end_timestamp - query.start_timestamp).toBe(3 * DAY)
})
