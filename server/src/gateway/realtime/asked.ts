import { NO_TOKENS, type Tokens } from '@tollgate/relay'
import { Refusal } from '../errors.ts'

/** The parameters of one `response.create`. */
export type Asked = {
  readonly eventId: string
  readonly askedAt: number
  readonly extra: { readonly text: string; readonly tokens: Tokens }
  readonly isPlain: boolean
  /** Null for the limit of the session. */
  readonly outputLimit: number | null
}

export const OWN_EVENT = 'event_gateway_'
export const isOwnEventId = (id: unknown) => typeof id === 'string' && id.startsWith(OWN_EVENT)

export const UNASKED: Asked = {
  eventId: '',
  askedAt: 0,
  extra: { text: '', tokens: NO_TOKENS },
  isPlain: true,
  outputLimit: null,
}

export const cancelResponse = (id: string) =>
  JSON.stringify({ type: 'response.cancel', ...(id === '' ? {} : { response_id: id }) })

export const tooManyAsked = () =>
  new Refusal({
    status: 429,
    code: 'too_many_responses',
    message: 'Too many requested responses have not started yet.',
  })
