import { LOG_TYPE } from '@tollgate/contract'
import type { Span } from '../../ui/chart/span.ts'

type Filter = { model_name?: string; username?: string; channel?: number }

/** Link to the requests behind a row. */
export function logPath({ query }: Span, filter: Filter): string {
  const search = new URLSearchParams({
    type: String(LOG_TYPE.consume),
    range: 'custom',
    start_timestamp: String(query.start_timestamp),
    end_timestamp: String(query.end_timestamp),
  })
  for (const [name, value] of Object.entries(filter)) search.set(name, String(value))
  return `/log?${search}`
}
