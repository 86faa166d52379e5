import { randomUUID } from 'node:crypto'
import {
  classifyUpstreamError,
  isRecord,
  type JsonRecord,
  member,
  type UpstreamProblem,
} from '@tollgate/relay'
import { withRequestId } from '../refusal.ts'

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

/** An error of the provider in words that name neither it nor its account, nor the key it was asked with. */
export function retold(
  json: JsonRecord,
  key: string,
): { problem: UpstreamProblem; error: JsonRecord } {
  const problem = classifyUpstreamError({ status: 200, headers: {}, body: json, key })
  const error = member(json, 'error')
  const told = isRecord(error) ? error : {}
  return { problem, error: { ...told, message: problem.message } }
}
