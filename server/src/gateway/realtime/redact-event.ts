import {
  type UpstreamSecrets,
  isRecord,
  type JsonRecord,
  member,
  type RealtimeEvent,
} from '@tollgate/relay'
import { redactError } from './error-event.ts'
import { isGatewayEventId } from './response-request.ts'

/** The rate limits are those of the provider account. */
export const isForClient = ({ type }: RealtimeEvent) => type !== 'rate_limits.updated'

/** Removes provider secrets from an event; null if the event can be passed unchanged. */
export function redactForClient(
  { type, json }: RealtimeEvent,
  channelSecrets: UpstreamSecrets,
): string | null {
  if (type === 'error') return errorForClient(json, channelSecrets)
  const changed = {
    ...changedError(json, channelSecrets),
    ...changedResponse(json, channelSecrets),
    ...changedSession(json),
  }
  return Object.keys(changed).length === 0 ? null : JSON.stringify({ ...json, ...changed })
}

function errorForClient(
  { type, event_id, error }: JsonRecord,
  channelSecrets: UpstreamSecrets,
): string {
  const eventId = member(error, 'event_id')
  const isClientEvent = typeof eventId === 'string' && !isGatewayEventId(eventId)
  const redacted = {
    ...redactError(error, channelSecrets).error,
    event_id: isClientEvent ? eventId : null,
  }
  return JSON.stringify({ type, event_id, error: redacted })
}

/** Other events carry errors too, for example a failed transcription. */
const changedError = ({ error = null }: JsonRecord, channelSecrets: UpstreamSecrets): JsonRecord =>
  error === null ? {} : { error: redactError(error, channelSecrets).error }

function changedResponse({ response }: JsonRecord, channelSecrets: UpstreamSecrets): JsonRecord {
  const details = member(response, 'status_details')
  const error = member(details, 'error') ?? null
  if (!isRecord(response) || !isRecord(details) || error === null) return {}
  const status_details = { ...details, ...changedError(details, channelSecrets) }
  return { response: { ...response, status_details } }
}

/** With this secret a client could call the provider directly. */
function changedSession({ session }: JsonRecord): JsonRecord {
  const secret = member(session, 'client_secret') ?? null
  if (secret === null || !isRecord(session)) return {}
  return { session: { ...session, client_secret: null } }
}
