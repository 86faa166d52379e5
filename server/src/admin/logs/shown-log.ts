import { type Log, OUTCOMES } from '@tollgate/contract'
import type { ShownLog } from '../../store/logs.ts'

const outcomeOf = (text: string) => OUTCOMES.find((known) => known === text) ?? ''

/** A row as administrators see it. */
export function shownLog(row: ShownLog): Log {
  return {
    ...row,
    request_id: row.request_id ?? '',
    is_stream: row.is_stream === 1,
    outcome: outcomeOf(row.outcome),
  }
}

/** A user's own row: which channel and which upstream model served is the operator's business. */
export const shownOwnLog = (row: ShownLog): Log => ({
  ...shownLog(row),
  channel: 0,
  upstream_model: '',
})
