import { CONTEXT_OVERFLOW, overflowIn } from '../../errors/context-overflow.ts'
import type { ClientError } from '../client-dialect.ts'

/** Google's status names (https://ai.google.dev/gemini-api/docs/troubleshooting). */
const STATUSES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}
const PAYMENT_REQUIRED = 402

/** Converts an error to Google's form. Exhausted credits become status 402. */
export function errorOf({ status, code, message }: ClientError) {
  const clientStatus = code === 'insufficient_user_quota' ? PAYMENT_REQUIRED : status
  const fallback = clientStatus < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'
  return {
    status: clientStatus,
    json: {
      error: {
        code: clientStatus,
        message: code === CONTEXT_OVERFLOW ? overflowMessage(message) : message,
        status: STATUSES[clientStatus] ?? fallback,
      },
    },
  }
}

const OVERFLOW = /exceeds the maximum number of tokens allowed/i

/** Google's words. */
function overflowMessage(message: string): string {
  if (OVERFLOW.test(message)) return message
  const overflow = overflowIn(message)
  if (overflow === null) {
    return `The input token count exceeds the maximum number of tokens allowed. ${message}`
  }
  const { tokens, tokensMax } = overflow
  return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${tokensMax}).`
}
