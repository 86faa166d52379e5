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

/** The log of a time in epoch seconds; `end` is not included. */
export function timePath({ metric }: UsageSearch, { start, end }: { start: number; end: number }) {
  const search = new URLSearchParams({
    type: String(LOG_TYPE.consume),
    range: 'custom',
    start_timestamp: String(start),
    end_timestamp: String(end - 1),
  })
  if (metric === 'failures') search.set('outcome', FAILED)
  return `/log?${search}`
}

/** The log of a row in that time; null for requests without the dimension. */
export function logPath(
  { key, label, owner }: Row,
  search: UsageSearch,
  time: { start: number; end: number },
): string | null {
  if (key === '' || key === '0') return null
  const value = new URLSearchParams({ [FILTERS[search.by]]: search.by === 'token' ? label : key })
  if (owner) value.set('user_id', String(owner.id))
  return `${timePath(search, time)}&${value}`
}
