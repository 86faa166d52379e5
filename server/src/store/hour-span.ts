const MINUTES_PER_HOUR = 60
const SECONDS_PER_MINUTE = 60
const SECONDS_PER_HOUR = 3600

/** Whole hours since the epoch, `endHour` excluded. Days begin `offsetHours` before UTC's. */
export type HourSpan = { firstHour: number; endHour: number; offsetHours: number }

/**
 * The hours of a span in the caller's time zone. Each hour belongs to exactly one of the caller's
 * days.
 */
export function hourSpan(span: {
  start_timestamp: number
  end_timestamp: number
  utc_offset: number
}): HourSpan {
  const offsetHours = Math.floor(span.utc_offset / MINUTES_PER_HOUR)
  const offset = span.utc_offset * SECONDS_PER_MINUTE
  return {
    firstHour: Math.floor((span.start_timestamp + offset) / SECONDS_PER_HOUR) - offsetHours,
    endHour: Math.ceil((span.end_timestamp + offset) / SECONDS_PER_HOUR) - offsetHours,
    offsetHours,
  }
}
