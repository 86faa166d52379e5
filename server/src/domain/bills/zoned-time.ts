import { momentAt, wallTime } from '@tollgate/contract'

/*
 * Bills write times in many forms. A time without an offset belongs to the time zone that the
 * operator set for the bill. Forms that can be read in two ways are refused.
 */

export type Moment =
  /** `isDay`: the text has no time of day and means the whole day. */
  | { readonly type: 'moment'; readonly seconds: number; readonly isDay: boolean }
  | { readonly type: 'problem'; readonly problem: 'not_a_time' | 'ambiguous_time' }

const EPOCH_SECONDS = /^\d{9,10}$/
const EPOCH_MILLISECONDS = /^\d{12,13}$/
const LOCAL =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/
const OFFSET =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})$/
/** Day and month, in an order that differs between countries. */
const EITHER_ORDER = /^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}/

const PROBLEM = { type: 'problem', problem: 'not_a_time' } as const

export function parseMoment(text: string, zone: string): Moment {
  if (EPOCH_SECONDS.test(text)) return momentOf(Number(text))
  if (EPOCH_MILLISECONDS.test(text)) return momentOf(Math.floor(Number(text) / 1000))
  const offset = OFFSET.exec(text)
  if (offset !== null) return withOffset(offset)
  const local = LOCAL.exec(text)
  if (local !== null) return withoutOffset(local, zone)
  return EITHER_ORDER.test(text) ? { type: 'problem', problem: 'ambiguous_time' } : PROBLEM
}

const momentOf = (seconds: number, isDay = false): Moment => ({ type: 'moment', seconds, isDay })

function withOffset([, day = '', time = '', offset = '']: RegExpExecArray): Moment {
  const suffix = offset === 'UTC' ? 'Z' : offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const milliseconds = Date.parse(`${day}T${time}${suffix}`)
  return Number.isNaN(milliseconds) ? PROBLEM : momentOf(Math.floor(milliseconds / 1000))
}

function withoutOffset(parts: RegExpExecArray, zone: string): Moment {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0))
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  const isReal = new Date(wall).getUTCDate() === day && month <= 12 && hour < 24 && minute < 60
  if (!isReal) return PROBLEM
  return momentOf(momentAt(zone, wall / 1000), parts[4] === undefined)
}

const SECONDS_PER_DAY = 86_400

/** The next midnight of the zone. A day has 23, 24 or 25 hours. */
export const nextMidnight = (seconds: number, zone: string): number =>
  momentAt(zone, (Math.floor(wallTime(zone, seconds) / SECONDS_PER_DAY) + 1) * SECONDS_PER_DAY)
