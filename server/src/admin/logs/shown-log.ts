import { z } from 'zod'
import { attemptSchema, chargeBasisSchema, type Log, OUTCOMES } from '@tollgate/contract'
import type { ShownLog } from '../../store/logs.ts'

const attempts = z.array(attemptSchema).catch([])
const basis = chargeBasisSchema.nullable().catch(null)
const outcomeOf = (text: string) => OUTCOMES.find((known) => known === text) ?? ''

/** Rows that are no request have neither attempts nor a basis, and a search answers a hundred of them. */
const NONE = '[]'

/** A row as administrators see it. */
export function shownLog(row: ShownLog): Log {
  const tried = row.attempts === NONE ? [] : attempts.parse(readJson(row.attempts))
  return {
    ...row,
    request_id: row.request_id ?? '',
    is_stream: row.is_stream === 1,
    outcome: outcomeOf(row.outcome),
    attempts: tried,
    attempt_count: tried.length,
    basis: row.basis === '' ? null : basis.parse(readJson(row.basis)),
  }
}

/** A user's own row: which channel and which upstream model served is the operator's business. */
export function shownOwnLog(row: ShownLog): Log {
  const log = shownLog(row)
  return {
    ...log,
    channel: 0,
    upstream_model: '',
    attempts: [],
    // A price may have been found under the name of the upstream's model.
    basis: log.basis && { ...log.basis, price_model: log.model_name },
  }
}

/** One broken row must not hide the page it is on. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
