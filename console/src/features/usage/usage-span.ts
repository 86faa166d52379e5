import { momentAt, wallTime } from '@tollgate/contract'
import { type Span, spanOf } from '../../ui/chart/span.ts'
import type { UsageSearch } from './usage-search.ts'

const HOUR = 3600
const DAY = 24 * HOUR

export type UsageSpan = {
  /** The whole days or hours of the chart. */
  span: Span
  /**
   * Ends with the current hour, so that a period so far is compared with the period before at the
   * same hour.
   */
  query: Span['query'] & { compare_start_timestamp: number }
}

const midnightOf = (date: string, zone: string) =>
  momentAt(zone, Math.floor(Date.parse(`${date}T00:00:00Z`) / 1000))

export function usageSpan(search: UsageSearch, now: number, zone: string): UsageSpan {
  const span = chartSpan(search, now, zone)
  const { start_timestamp: start } = span.query
  const end = Math.min(span.query.end_timestamp, Math.ceil((now + 1) / HOUR) * HOUR)
  // A span in the future has no hours so far.
  const end_timestamp = end > start ? end : span.query.end_timestamp
  // Whole days before, so that both periods begin at midnight.
  const days = Math.max(1, Math.ceil((span.query.end_timestamp - start) / DAY))
  const compare_start_timestamp = start - days * DAY
  return { span, query: { ...span.query, end_timestamp, compare_start_timestamp } }
}

function chartSpan({ range, from, to }: UsageSearch, now: number, zone: string): Span {
  if (range === 'today') {
    const span = spanOf('2d', now, zone)
    return { ...span, query: { ...span.query, start_timestamp: span.today } }
  }
  if (range !== 'custom') return spanOf(range, now, zone)
  const span = spanOf('7d', now, zone)
  const start_timestamp = midnightOf(from, zone)
  // Whole days, also where the clocks change in between: all have the offset of the first.
  const days = Math.round((midnightOf(to, zone) - start_timestamp) / DAY) + 1
  const end_timestamp = start_timestamp + days * DAY
  const utc_offset = (wallTime(zone, start_timestamp) - start_timestamp) / 60
  return { ...span, query: { ...span.query, start_timestamp, end_timestamp, utc_offset } }
}
