import {
  type AskedWith,
  isRecord,
  type JsonRecord,
  member,
  type RealtimeEvent,
} from '@tollgate/relay'
import { isOwnEventId } from './asked.ts'
import { retold } from './error-event.ts'

/** The rate limits are those of the provider account. */
export const isForClient = ({ type }: RealtimeEvent) => type !== 'rate_limits.updated'

/** Removes provider secrets from an event; null if the event can be passed unchanged. */
export function forClient({ type, json }: RealtimeEvent, askedWith: AskedWith): string | null {
  if (type === 'error') return errorForClient(json, askedWith)
  const changed = {
    ...changedError(json, askedWith),
    ...changedResponse(json, askedWith),
    ...changedSession(json),
  }
  return Object.keys(changed).length === 0 ? null : JSON.stringify({ ...json, ...changed })
}

function errorForClient({ type, event_id, error }: JsonRecord, askedWith: AskedWith): string {
  const about = member(error, 'event_id')
  const isTheirs = typeof about === 'string' && !isOwnEventId(about)
  const told = { ...retold(error, askedWith).error, event_id: isTheirs ? about : null }
  return JSON.stringify({ type, event_id, error: told })
}

/** Other events carry errors too, for example a failed transcription. */
const changedError = ({ error = null }: JsonRecord, askedWith: AskedWith): JsonRecord =>
  error === null ? {} : { error: retold(error, askedWith).error }

function changedResponse({ response }: JsonRecord, askedWith: AskedWith): JsonRecord {
  const details = member(response, 'status_details')
  const error = member(details, 'error') ?? null
  if (!isRecord(response) || !isRecord(details) || error === null) return {}
  const status_details = { ...details, ...changedError(details, askedWith) }
  return { response: { ...response, status_details } }
}

/** With this secret a client could call the provider directly. */
function changedSession({ session }: JsonRecord): JsonRecord {
  const secret = member(session, 'client_secret') ?? null
  if (secret === null || !isRecord(session)) return {}
  return { session: { ...session, client_secret: null } }
}
