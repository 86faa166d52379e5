import { wallTime } from '@tollgate/contract'
import type { Slot } from './series.ts'

/** Selectable ranges. The first is shown by hour, the rest by day. */
export const RANGES = ['2d', '7d', '30d', '90d'] as const

export type Range = (typeof RANGES)[number]

export const RANGE_DEFAULT: Range = '7d'

const DAYS: Readonly<Record<Range, number>> = { '2d': 2, '7d': 7, '30d': 30, '90d': 90 }

const HOUR = 3600
const DAY = 24 * HOUR

export type Span = {
  query: {
    start_timestamp: number
    end_timestamp: number
    step: 'hour' | 'day'
    utc_offset: number
  }
  /** Start of today in epoch seconds. */
  today: number
  /** IANA name. */
  zone: string
}

/**
 * Days start as on the server: at midnight in the zone's current UTC offset, rounded up to a whole
 * hour. `now` is in epoch seconds.
 */
export function spanOf(range: Range, now: number, zone: string): Span {
  const seconds = Math.floor(now)
  const offset = wallTime(zone, seconds) - seconds
  const midnight = Math.floor((seconds + offset) / DAY) * DAY - offset
  const today = Math.ceil(midnight / HOUR) * HOUR
  const isByHour = range === '2d'
  const hour = Math.max(today, seconds - (seconds % HOUR))
  return {
    query: {
      start_timestamp: today - (DAYS[range] - 1) * DAY,
      end_timestamp: isByHour ? hour + HOUR : today + DAY,
      step: isByHour ? 'hour' : 'day',
      utc_offset: offset / 60,
    },
    today,
    zone,
  }
}

const NO_SPAN = { start_timestamp: 0, end_timestamp: 0 }

/** Zeros while the span is not known. */
export function costSpanOf(span: Span | undefined) {
  if (span === undefined) return NO_SPAN
  const { start_timestamp, end_timestamp } = span.query
  return { start_timestamp, end_timestamp }
}

const stepOf = ({ query }: Span) => (query.step === 'hour' ? HOUR : DAY)

export function slotsOf(span: Span): Slot[] {
  const { start_timestamp, end_timestamp, step: unit } = span.query
  const step = stepOf(span)
  const count = Math.round((end_timestamp - start_timestamp) / step)
  return Array.from({ length: count }, (_, index) => {
    const start = start_timestamp + index * step
    // Noon gives the right date even if the clocks changed in between.
    const text = wallText(unit === 'hour' ? start : start + step / 2, span.zone)
    const day = text.slice(5, 10)
    if (unit === 'day') return { start, tick: day, name: text.slice(0, 10) }
    const isMajor = start === span.today
    return { start, tick: isMajor ? day : text.slice(11, 16), isMajor, name: text.slice(0, 16) }
  })
}

/** `2026-11-27 23:59` as the zone's clocks show it. */
const wallText = (at: number, zone: string) =>
  new Date(wallTime(zone, at) * 1000).toISOString().slice(0, 16).replace('T', ' ')

/** Slot index of a bucket start; may lie outside the slots. */
export const slotAt = (span: Span, start: number) =>
  Math.floor((start - span.query.start_timestamp) / stepOf(span))
