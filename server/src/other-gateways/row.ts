import { SECONDS_MAX } from '@tollgate/contract'

/** A row as the driver returns it: integers may be texts, and truth values numbers. */
export type Row = Readonly<Record<string, unknown>>

const REPLACEMENT = '\u{FFFD}'

/** Text without the padding of `char(n)` columns, and without what PostgreSQL cannot store. */
export function textIn(row: Row, column: string): string {
  const value = row[column]
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : plainText(value)
  return text.replaceAll('\0', REPLACEMENT).toWellFormed().trimEnd()
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/** A whole number within what JavaScript represents exactly; 0 if absent or not a number. */
export function integerIn(row: Row, column: string): number {
  const value = Math.trunc(Number(row[column] ?? 0))
  if (!Number.isFinite(value)) return 0
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
}

export function numberIn(row: Row, column: string): number {
  const value = Number(row[column] ?? 0)
  return Number.isFinite(value) ? value : 0
}

export function flagIn(row: Row, column: string): boolean {
  const value = row[column]
  // `bit(1)` of MySQL.
  if (value instanceof Uint8Array) return value.at(-1) === 1 || textIn(row, column) === '1'
  return value === true || value === 't' || value === 'true' || Number(value) === 1
}

export const isNull = (row: Row, column: string) =>
  row[column] === null || row[column] === undefined

/** The object in a JSON column; empty if there is none, or if it cannot be parsed. */
export function objectIn(row: Row, column: string): Row {
  const value = row[column]
  if (isObject(value)) return value
  return parseObject(textIn(row, column))
}

export function parseObject(text: string): Row {
  if (!text.startsWith('{')) return {}
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

export const isObject = (value: unknown): value is Row =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array)

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** Items between commas, and between line breaks, as gateways store lists. */
export const listIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,\n]/)
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
]

/** MySQL's date without a value, and Go's. */
const NO_DATE = /^(?:0000-00-00|0001-01-01)/
const DATE = /^(?<day>\d{4}-\d{2}-\d{2})[ T](?<time>[\d:.]+)(?<zone>Z|[+-][\d:]+)?$/
const UNITS_PER_SECOND = 1000

/** Epoch seconds; 0 if absent. A date without a zone is in UTC. */
export function secondsIn(row: Row, column: string): number {
  const value = row[column]
  const time = value instanceof Date ? value.getTime() : dateIn(textIn(row, column))
  let seconds = time === null ? integerIn(row, column) : Math.floor(time / UNITS_PER_SECOND)
  // Milliseconds, or smaller units.
  while (seconds > SECONDS_MAX) seconds = Math.floor(seconds / UNITS_PER_SECOND)
  return Number.isNaN(seconds) ? 0 : Math.max(0, seconds)
}

/** Epoch milliseconds, or null if the text is no date. */
function dateIn(text: string): number | null {
  const { day, time, zone = 'Z' } = DATE.exec(text)?.groups ?? {}
  if (day === undefined || time === undefined) return null
  return Date.parse(`${day}T${time}${/^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone}`)
}

/** Whether the column has a date, such as that of a deletion. */
export function hasDate(row: Row, column: string): boolean {
  const text = textIn(row, column)
  return text !== '' && text !== '0' && !NO_DATE.test(text)
}
