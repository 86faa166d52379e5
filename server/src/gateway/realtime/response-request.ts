import { NO_TOKENS, type Tokens } from '@tollgate/relay'
import { Refusal } from '../errors.ts'

/** The parameters of one `response.create`. */
export type ResponseRequest = {
  readonly eventId: string
  readonly requestedAt: number
  readonly extra: { readonly text: string; readonly tokens: Tokens }
  readonly isPlain: boolean
  /** Null for the limit of the session. */
  readonly outputLimit: number | null
}

export const GATEWAY_EVENT_PREFIX = 'event_gateway_'
export const isGatewayEventId = (id: unknown) =>
  typeof id === 'string' && id.startsWith(GATEWAY_EVENT_PREFIX)

export const UNREQUESTED: ResponseRequest = {
  eventId: '',
  requestedAt: 0,
  extra: { text: '', tokens: NO_TOKENS },
  isPlain: true,
  outputLimit: null,
}

export const cancelResponse = (id: string) =>
  JSON.stringify({ type: 'response.cancel', ...(id === '' ? {} : { response_id: id }) })

export const tooManyPending = () =>
  new Refusal({
    status: 429,
    code: 'too_many_responses',
    message: 'Too many requested responses have not started yet.',
  })
