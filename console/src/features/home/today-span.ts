import { startOfDay } from '../../lib/zone.ts'

const HOUR = 3600

/**
 * Today up to the end of this hour, in the time zone of the site. Usage is counted by whole hours,
 * so a day that begins within an hour is counted from the next.
 */
export function todaySpan(now: number, zone: string) {
  const start_timestamp = Math.ceil(startOfDay(now, zone) / HOUR) * HOUR
  const thisHour = Math.floor(now / HOUR) * HOUR
  return { start_timestamp, end_timestamp: Math.max(start_timestamp, thisHour) + HOUR }
}
