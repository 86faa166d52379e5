import { wallTime } from '@tollgate/contract'

export const VALIDITY_MONTHS = 9

/** The last day in the zone on which quota of that second is valid, such as 2027-08-29. */
export function validUntil(zone: string, at: number): string {
  const date = new Date(wallTime(zone, at) * 1000)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + VALIDITY_MONTHS)
  // The day may be missing in that month.
  if (date.getUTCDate() !== day) date.setUTCDate(0)
  return date.toISOString().slice(0, 10)
}
