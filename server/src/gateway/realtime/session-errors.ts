import { END_REASON, type EndReason } from '@tollgate/contract'
import { member, type RealtimeEvent, type RequestProblem } from '@tollgate/relay'
import type { EventError } from './error-event.ts'

/**
 * The problem with an event that a transcription session does not accept; null for accepted events.
 */
export function refusalInTranscription({ type, json }: RealtimeEvent): RequestProblem | null {
  const kind = member(member(json, 'session'), 'type') ?? 'transcription'
  if (type !== 'response.create' && kind === 'transcription') return null
  return {
    type: 'invalid_request_error',
    code: 'no_responses',
    message: 'This session only transcribes. Open another session for a model that responds.',
    param: null,
  }
}

export const gatewayError = (code: string, message: string): EventError => ({
  type: 'one_api_error',
  code,
  message,
  param: null,
})

export const QUOTA_EXHAUSTED = gatewayError(
  'insufficient_user_quota',
  'The quota is used up, so the session ends. The delivered part has been charged.',
)

export const DATABASE_UNAVAILABLE = gatewayError(
  'database_unavailable',
  'The database does not answer, so the session ends. The delivered part has been charged.',
)

export function endReasonOf({ code }: EventError): EndReason {
  if (code === QUOTA_EXHAUSTED.code) return END_REASON.quotaUsedUp
  return code === DATABASE_UNAVAILABLE.code ? END_REASON.databaseAway : END_REASON.requestRefused
}
