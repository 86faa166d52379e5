import { END_REASON, type EndReason } from '@tollgate/contract'
import { problemFromTransport, type UpstreamProblem } from '@tollgate/relay'
import type { RelayContext, RelayDeps } from '../context.ts'
import { paymentCodeFor } from '../intake/payment-refusal.ts'
import type { StreamEnding } from './stream-relay.ts'

export type StreamProblem = Pick<
  UpstreamProblem,
  'type' | 'param' | 'code' | 'message' | 'status'
> & {
  kind: UpstreamProblem['kind'] | 'used_up' | 'database_away'
}

export const QUOTA_EXHAUSTED = {
  kind: 'used_up',
  type: 'one_api_error',
  param: null,
  code: 'insufficient_user_quota',
  status: 403,
  message: 'The quota is used up, so the response ends here. The delivered part has been charged.',
} as const

const DATABASE_UNAVAILABLE = {
  kind: 'database_away',
  type: 'one_api_error',
  param: null,
  code: 'database_unavailable',
  status: 503,
  message:
    'The database does not answer, so the response ends here. The delivered part has been charged.',
} as const

export const unpaidProblem = (ledger: Pick<RelayDeps['ledger'], 'isUnavailable'>): StreamProblem =>
  ledger.isUnavailable() ? DATABASE_UNAVAILABLE : QUOTA_EXHAUSTED

/** Null if no error event is needed: the stream finished, or its client is gone. */
export function problemOf(
  ending: StreamEnding,
  ledger: Pick<RelayDeps['ledger'], 'isUnavailable'>,
): StreamProblem | null {
  if (ending.type === 'finished' || ending.type === 'abandoned') return null
  if (ending.type === 'unpaid') return unpaidProblem(ledger)
  return ending.type === 'broken' ? ending.problem : problemFromTransport('closed_early')
}

export const inClientTerms = (problem: StreamProblem | null, context: RelayContext) =>
  problem?.kind === QUOTA_EXHAUSTED.kind ? { ...problem, code: paymentCodeFor(context) } : problem

export function endReasonOf(problem: StreamProblem | null, disconnected: boolean): EndReason {
  if (disconnected) return END_REASON.clientLeft
  if (problem === null) return END_REASON.finished
  if (problem.kind === QUOTA_EXHAUSTED.kind) return END_REASON.quotaUsedUp
  if (problem.kind === DATABASE_UNAVAILABLE.kind) return END_REASON.databaseAway
  return problem.kind === 'timeout' ? END_REASON.deadline : END_REASON.brokenStream
}
