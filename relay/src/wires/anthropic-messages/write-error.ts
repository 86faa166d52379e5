import { CONTEXT_OVERFLOW, overflowIn } from '../../errors/context-overflow.ts'
import type { ClientError } from '../client-dialect.ts'

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
const UNAVAILABLE = 503
const OVERLOADED = 529

export function errorOf({ status, code }: ClientError): { status: number; type: string } {
  if (code === 'insufficient_user_quota') return { status, type: 'billing_error' }
  if (status === UNAVAILABLE) return { status: OVERLOADED, type: 'overloaded_error' }
  return { status, type: TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error') }
}

/** The JSON text of an error answer, and of the event that ends a broken stream. */
export function errorText(error: ClientError): string {
  const message = error.code === CONTEXT_OVERFLOW ? overflowMessage(error.message) : error.message
  return JSON.stringify({ type: 'error', error: { type: errorOf(error).type, message } })
}

/** Claude Code compacts a conversation after these words, and reads the numbers. */
function overflowMessage(message: string): string {
  if (/^prompt is too long/i.test(message)) return message
  const overflow = overflowIn(message)
  if (overflow === null) return `prompt is too long: ${message}`
  return `prompt is too long: ${overflow.tokens} tokens > ${overflow.tokensMax} maximum`
}
