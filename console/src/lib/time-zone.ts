import { getStoredJson } from './storage.ts'

/** The operator's time zone, an IANA name; empty for that of the browser. */
export function operatorZone(): string {
  const status = getStoredJson('status')
  const isRecord = typeof status === 'object' && status !== null && 'time_zone' in status
  return isRecord && typeof status.time_zone === 'string' ? status.time_zone : ''
}

const MINUTE_MS = 60_000

/** Minutes by which the clocks of a zone are ahead of UTC at this moment. */
export function minutesAheadOfUtc(zone: string, at: Date): number {
  if (zone === '') return -at.getTimezoneOffset()
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(at)
  const numberOf = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? 0)
  const [year, month, day] = [numberOf('year'), numberOf('month') - 1, numberOf('day')]
  const wall = Date.UTC(year, month, day, numberOf('hour'), numberOf('minute'))
  return Math.round(wall / MINUTE_MS) - Math.floor(at.getTime() / MINUTE_MS)
}
