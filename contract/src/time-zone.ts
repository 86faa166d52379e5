export const UTC = 'UTC'
/** The option's value for no zone. */
const isUtc = (zone: string) => zone === UTC || zone === ''

const DAY_SECONDS = 86_400

const formatters = new Map<string, Intl.DateTimeFormat>()
/** More zones than an installation ever uses. */
const FORMATTERS_MAX = 100

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  if (formatters.size >= FORMATTERS_MAX) formatters.clear()
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formatters.set(zone, formatter)
  return formatter
}

/** By how many minutes the zone's clocks are ahead of UTC. */
export const offsetMinutes = (zone: string, at: number): number =>
  Math.round((wallTime(zone, at) - at) / 60)

/** What the clocks of an IANA time zone show, written as seconds as if that were UTC. */
export function wallTime(zone: string, at: number): number {
  if (isUtc(zone)) return at
  const parts = formatterOf(zone).formatToParts(at * 1000)
  const numberOf = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value ?? 0)
  const [year, month, day] = [numberOf('year'), numberOf('month') - 1, numberOf('day')]
  const [hour, minute, second] = [numberOf('hour'), numberOf('minute'), numberOf('second')]
  return Date.UTC(year, month, day, hour, minute, second) / 1000
}

/**
 * The first moment at which the clocks show this wall time. Where they skip it, as some zones skip
 * midnight in spring, the moment at which they are set.
 */
export function momentAt(zone: string, wall: number): number {
  if (isUtc(zone)) return wall
  const offsetNear = (at: number) => wallTime(zone, at) - at
  const [before, after] = [offsetNear(wall - DAY_SECONDS), offsetNear(wall + DAY_SECONDS)]
  const first = wall - Math.max(before, after)
  return wallTime(zone, first) === wall ? first : wall - Math.min(before, after)
}
