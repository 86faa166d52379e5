import { randomUUID } from 'node:crypto'
import { type UpstreamSecrets, classifyUpstreamError, type UpstreamProblem } from '@tollgate/relay'
import { withRequestId } from '../errors.ts'

export type EventError = {
  readonly type: string
  readonly code: string | null
  readonly message: string
  readonly param: string | null
}

/** An `error` event of the protocol; `eventId` is the client event it answers. */
export function errorEvent(
  { type, code, message, param }: EventError,
  { requestId, eventId = null }: { requestId: string; eventId?: string | null },
): string {
  return JSON.stringify({
    type: 'error',
    event_id: `event_${randomUUID().replaceAll('-', '')}`,
    error: { type, code, message: withRequestId(message, requestId), param, event_id: eventId },
  })
}

/**
 * A provider's error without the names of the provider and its account, and without the secrets
 * sent to it.
 */
export function redactError(
  providerError: unknown,
  channelSecrets: UpstreamSecrets,
): { problem: UpstreamProblem; error: EventError } {
  const body = { error: providerError }
  const problem = classifyUpstreamError({ status: 200, headers: {}, body, channelSecrets })
  const { type, code, message, param } = problem
  return { problem, error: { type, code, message, param } }
}
