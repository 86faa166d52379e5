import { LOG_TYPE } from '@tollgate/contract'
import { oneOf } from '../../lib/table-search.ts'
import { startOfDay } from '../../lib/zone.ts'
import { type Fields, FIELDS, isValid, NO_FIELDS } from './log-fields.ts'

export const RANGES = ['hour', 'today', 'week', 'month', 'all', 'custom'] as const

export type Range = (typeof RANGES)[number]

/** Log filter from the URL. */
export type LogFilter = {
  type: number
  range: Range
  /** Epoch seconds, used only with the range `custom`; 0 means unbounded. */
  start_timestamp: number
  end_timestamp: number
} & Fields

export const NO_FILTER: LogFilter = {
  type: LOG_TYPE.all,
  range: 'all',
  start_timestamp: 0,
  end_timestamp: 0,
  ...NO_FIELDS,
}

const NUMBERS = ['type', 'start_timestamp', 'end_timestamp'] as const

export function parseLogFilter(search: URLSearchParams): LogFilter {
  const filter = { ...NO_FILTER, range: oneOf(RANGES, search.get('range')) ?? 'all' }
  for (const name of FIELDS) {
    const value = (search.get(name) ?? '').trim()
    filter[name] = isValid(name, value) ? value : ''
  }
  for (const name of NUMBERS) {
    const value = Number(search.get(name) ?? 0)
    filter[name] = Number.isSafeInteger(value) && value >= 0 ? value : 0
  }
  return filter
}

/** Replaces the filter in the URL and returns to the first page. */
export function withLogFilter(search: URLSearchParams, filter: LogFilter): URLSearchParams {
  const next = new URLSearchParams(search)
  next.delete('p')
  const isCustom = filter.range === 'custom'
  const wanted = {
    ...filter,
    start_timestamp: isCustom ? filter.start_timestamp : 0,
    end_timestamp: isCustom ? filter.end_timestamp : 0,
  }
  for (const [name, raw] of Object.entries(wanted)) {
    const value = typeof raw === 'string' ? raw.trim() : raw
    const isDefault = value === '' || value === 0 || (name === 'range' && value === 'all')
    if (isDefault) next.delete(name)
    else next.set(name, String(value))
  }
  return next
}

const addressOf = (filter: LogFilter) => withLogFilter(new URLSearchParams(), filter).toString()

export const isFiltered = (filter: LogFilter) => addressOf(filter) !== ''

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

const LENGTHS = { hour: HOUR_SECONDS, week: 7 * DAY_SECONDS, month: 30 * DAY_SECONDS } as const

/** Bounds of a range in epoch seconds. Every range except `custom` ends an hour from now. */
export function rangeBounds(filter: LogFilter, now: number): { start: number; end: number } {
  const end = now + HOUR_SECONDS
  switch (filter.range) {
    case 'custom':
      return { start: filter.start_timestamp, end: filter.end_timestamp || end }
    case 'all':
      return { start: 0, end }
    case 'today':
      return { start: startOfDay(now), end }
    case 'hour':
    case 'week':
    case 'month':
      return { start: now - LENGTHS[filter.range], end }
  }
}

/** The consumption sum covers only consume rows. */
export const hasSum = ({ type }: LogFilter) => type === LOG_TYPE.all || type === LOG_TYPE.consume

export function filterQuery(filter: LogFilter, now: number) {
  const { type, channel, stream } = filter
  const { start, end } = rangeBounds(filter, now)
  return {
    ...fieldsOf(filter),
    type,
    channel: channel === '' ? undefined : Number(channel),
    stream: oneOf(['true', 'false'] as const, stream),
    start_timestamp: start,
    end_timestamp: end,
  }
}

function fieldsOf(filter: LogFilter): Fields {
  const fields = { ...NO_FIELDS }
  for (const field of FIELDS) fields[field] = filter[field]
  return fields
}
