import { isRecord, type JsonRecord, member, type RealtimeEvent } from '@tollgate/relay'
import { retold } from './error-event.ts'
import { isOwnEventId } from './responses.ts'

/** It tells of the account at the provider. */
export const isForClient = ({ type }: RealtimeEvent) => type !== 'rate_limits.updated'

/** An event as its client may read it; null where that is as it came. `key` is the channel's. */
export function forClient({ type, json }: RealtimeEvent, key: string): string | null {
  if (type === 'error') {
    const { error } = retold(json, key)
    const isOurs = isOwnEventId(error['event_id'])
    return JSON.stringify({ ...json, error: { ...error, ...(isOurs ? { event_id: null } : {}) } })
  }
  if (type === 'response.done') return withoutFailure(json, key)
  // With it a client could go to the provider by itself.
  const session = member(json, 'session')
  const secret = member(session, 'client_secret') ?? null
  if (secret === null || !isRecord(session)) return null
  return JSON.stringify({ ...json, session: { ...session, client_secret: null } })
}

function withoutFailure(json: JsonRecord, key: string): string | null {
  const response = member(json, 'response')
  const details = member(response, 'status_details')
  const error = member(details, 'error')
  if (!isRecord(response) || !isRecord(details) || !isRecord(error)) return null
  const status_details = { ...details, error: retold({ error }, key).error }
  return JSON.stringify({ ...json, response: { ...response, status_details } })
}
