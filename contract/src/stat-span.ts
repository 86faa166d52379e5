import { z } from 'zod'
import { rule } from './problem.ts'
import { seconds } from './units.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const SPAN_MAX = { hour: 15 * DAY, day: 400 * DAY } as const

export const moment = z.coerce.number().transform(Math.floor).pipe(seconds.min(1))

export const spanFields = {
  start_timestamp: moment,
  end_timestamp: moment,
  step: z.enum(['hour', 'day']).default('day'),
  /**
   * Offset of the caller's clock from UTC in minutes, by default that of the option `TimeZone`.
   * Days begin at the caller's midnight. The sums are per UTC hour, so half-hour offsets shift a
   * day's start by half an hour.
   */
  utc_offset: z.coerce.number().int().min(-840).max(840).exactOptional(),
}

export type StatStep = keyof typeof SPAN_MAX

type Span = { start_timestamp: number; end_timestamp: number; step: StatStep }

export const isOrdered = ({ start_timestamp, end_timestamp }: Span) =>
  start_timestamp < end_timestamp

export const isShort = ({ start_timestamp, end_timestamp, step }: Span) =>
  end_timestamp - start_timestamp <= SPAN_MAX[step]

export const ordered = rule('must be after start_timestamp', '必须晚于 start_timestamp')
export const short = rule(
  'must be at most 15 days before end_timestamp by hour, and 400 days by day',
  '按小时统计时最多早于 end_timestamp 15 天，按天统计时最多早 400 天',
)
