import { type Exploration, LOG_TYPE, type UsageDimension } from '@tollgate/contract'
import type { UsageSearch } from './usage-search.ts'

type Row = Pick<Exploration['rows'][number], 'key' | 'label' | 'owner'>

const FILTERS: Readonly<Record<UsageDimension, string>> = {
  model: 'model_name',
  token: 'token_name',
  endpoint: 'endpoint',
  user: 'user_id',
  channel: 'channel',
  group: 'group',
}

/** Usage counts broken streams, and clients that left before an answer, as failures, too. */
const FAILED = 'failed,cut_off,cancelled'

type Filters = readonly (Row & { by: UsageDimension })[]

/** Requests without the dimension have no key, or the id 0. */
export const isKnown = ({ key }: Pick<Row, 'key'>) => key !== '' && key !== '0'

/** The log finds tokens by name, which deleted ones have no more. */
export const isInLog = (row: Filters[number]) =>
  isKnown(row) && (row.by !== 'token' || (row.label !== '' && row.label !== row.key))

/** False if the log would have more requests than the usage that is narrowed to `filters`. */
export const areInLog = (filters: Filters): boolean => filters.every(isInLog)

function narrow(search: URLSearchParams, { by, key, label, owner }: Filters[number]) {
  search.set(FILTERS[by], by === 'token' ? label : key)
  if (owner) search.set('user_id', String(owner.id))
}

type Time = { start: number; end: number }

/** The log of a time in epoch seconds, without its end, and of what the usage is narrowed to. */
export function timePath({ metric }: UsageSearch, { start, end }: Time, filters: Filters) {
  const search = new URLSearchParams({
    type: String(LOG_TYPE.consume),
    range: 'custom',
    start_timestamp: String(start),
    end_timestamp: String(end - 1),
  })
  if (metric === 'failures') search.set('outcome', FAILED)
  for (const filter of filters) narrow(search, filter)
  return `/log?${search}`
}

/** The log of a row in that time; null if the log cannot be narrowed to it. */
export function logPath(
  row: Row,
  search: UsageSearch,
  time: Time,
  filters: Filters,
): string | null {
  const all = [...filters, { ...row, by: search.by }]
  return areInLog(all) ? timePath(search, time, all) : null
}
