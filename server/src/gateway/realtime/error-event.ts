import { randomUUID } from 'node:crypto'
import { type AskedWith, classifyUpstreamError, type UpstreamProblem } from '@tollgate/relay'
import { withRequestId } from '../errors.ts'

export type EventError = {
  readonly type: string
  readonly code: string | null
  readonly message: string
  readonly param: string | null
}

/** An error as the protocol tells it; `eventId` is that of the client's event that it is about. */
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

/** An error of the provider in words that name neither it nor its account, nor a secret it was asked with. */
export function retold(
  told: unknown,
  askedWith: AskedWith,
): { problem: UpstreamProblem; error: EventError } {
  const body = { error: told }
  const problem = classifyUpstreamError({ status: 200, headers: {}, body, askedWith })
  const { type, code, message, param } = problem
  return { problem, error: { type, code, message, param } }
}
