import { z } from 'zod'
import { attemptSchema, chargeBasisSchema, type Log, OUTCOMES } from '@tollgate/contract'
import type { ShownLog } from '../../store/logs.ts'

const attempts = z.array(attemptSchema).catch([])
const basis = chargeBasisSchema.nullable().catch(null)
const outcome = z.enum(OUTCOMES).catch('')

/** A row as administrators see it. */
export function shownLog(row: ShownLog): Log {
  const tried = attempts.parse(readJson(row.attempts))
  return {
    ...row,
    request_id: row.request_id ?? '',
    is_stream: row.is_stream === 1,
    outcome: outcome.parse(row.outcome),
    attempts: tried,
    attempt_count: tried.length,
    basis: basis.parse(readJson(row.basis)),
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

/** One broken row must not hide the page it is on. Rows without a charge have no text. */
function readJson(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
