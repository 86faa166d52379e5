import { expect, test } from 'vitest'
import { hourSpan } from './hour-span.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const MIDNIGHT = 19_000 * DAY

const of = (start: number, end: number, utc_offset = 0) =>
  hourSpan({ start_timestamp: MIDNIGHT + start, end_timestamp: MIDNIGHT + end, utc_offset })

const hours = ({ firstHour, endHour }: ReturnType<typeof hourSpan>) => [
  firstHour - MIDNIGHT / HOUR,
  endHour - MIDNIGHT / HOUR,
]

test('an hour that has begun belongs to the span, one that begins at its end does not', () => {
  expect(hours(of(0, DAY))).toEqual([0, 24])
  expect(hours(of(HOUR + 1, 3 * HOUR + 1))).toEqual([1, 4])
  expect(hours(of(10, 20))).toEqual([0, 1])
})

test.each([480, -720, 840])('full hours of offset (%i) change no hour', (offset) => {
  expect(hours(of(0, DAY, offset))).toEqual([0, 24])
  expect(hours(of(10, HOUR + 10, offset))).toEqual([0, 2])
})

test.each([330, -210, 345, -570])(
  'days of a clock ahead by %i minutes follow each other without a gap or an overlap',
  (offset) => {
    const midnight = -offset * 60
    const today = of(midnight, midnight + DAY, offset)
    const tomorrow = of(midnight + DAY, midnight + 2 * DAY, offset)
    expect(today.endHour - today.firstHour).toBe(24)
    expect(tomorrow.firstHour).toBe(today.endHour)
    expect((today.firstHour + today.offsetHours) % 24).toBe(0)
    expect(today.firstHour * HOUR - (MIDNIGHT + midnight)).toBeGreaterThan(0)
    expect(today.firstHour * HOUR - (MIDNIGHT + midnight)).toBeLessThan(HOUR)
  },
)

test.each([330, -210, 480])(
  'the current hour is part of a span that ends now, ahead by %i minutes',
  (offset) => {
    for (const now of [DAY + 60, DAY + 1800, DAY + 3540]) {
      const { endHour } = of(0, now, offset)
      expect(endHour).toBeGreaterThan(Math.floor((MIDNIGHT + now) / HOUR))
    }
  },
)
