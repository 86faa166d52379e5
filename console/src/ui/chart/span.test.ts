import { expect, test } from 'vitest'
import { RANGES, slotAt, slotsOf, spanOf } from './span.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const at = (iso: string) => Date.parse(iso) / 1000

test('a range of days ends with today, which begins at the midnight of the zone', () => {
  const { query, today } = spanOf('7d', at('2026-03-01T20:30:00Z'), 'Asia/Shanghai')
  expect(new Date(today * 1000).toISOString()).toBe('2026-03-01T16:00:00.000Z')
  expect(query).toEqual({
    start_timestamp: today - 6 * DAY,
    end_timestamp: today + DAY,
    step: 'day',
    utc_offset: 480,
  })
})

test('by hour it shows yesterday and today up to this hour', () => {
  const span = spanOf('2d', at('2026-03-02T05:20:00Z'), 'UTC')
  const far = slotsOf(spanOf('2d', at('2026-03-02T05:20:00Z'), 'Asia/Shanghai'))
  expect(far.at(-1)).toMatchObject({ name: '2026-03-02 13:00', tick: '13:00' })
  expect(slotsOf(span)).toHaveLength(24 + 6)
  expect(span.query.step).toBe('hour')
})

test('if midnight is not a full hour, days begin as the server counts them', () => {
  const { today } = spanOf('7d', at('2026-03-01T12:00:00Z'), 'Asia/Kolkata')
  expect(new Date(today * 1000).toISOString()).toBe('2026-02-28T19:00:00.000Z')
  const before = spanOf('2d', at('2026-02-28T18:40:00Z'), 'Asia/Kolkata')
  expect(before.query.end_timestamp).toBe(today + HOUR)
})

test("every range has its days, each with its own label, within the server's limit", () => {
  for (const range of RANGES) {
    const span = spanOf(range, at('2026-04-22T09:00:00Z'), 'America/New_York')
    const slots = slotsOf(span)
    expect(new Set(slots.map(({ name }) => name)).size).toBe(slots.length)
    expect(slots.map(({ start }) => slotAt(span, start))).toEqual([...slots.keys()])
  }
  expect(
    RANGES.map((range) => slotsOf(spanOf(range, at('2026-04-22T09:00:00Z'), 'UTC')).length).slice(
      1,
    ),
  ).toEqual([7, 30, 90])
})
