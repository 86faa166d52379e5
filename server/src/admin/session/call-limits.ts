import { AppError } from '@tollgate/contract'
import { addressKey, type AttemptLimit, createAttemptLimit } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const CALLS_PER_ADDRESS_MAX = 20
const MAILS_PER_RECIPIENT_MAX = 5
const RESETS_PER_ACCOUNT_MAX = 10

/** Each throws `too_many_requests`, whether or not there is an account. */
export type CallLimits = {
  takeCall: (purpose: 'register' | 'verification' | 'reset-mail' | 'reset', address: string) => void
  takeMail: (purpose: 'verification' | 'reset', email: string) => void
  takeReset: (email: string) => void
}

export function createCallLimits(now: () => number): CallLimits {
  const limitOf = (most: number) => createAttemptLimit({ most, windowMs: WINDOW_MS, now })
  const calls = limitOf(CALLS_PER_ADDRESS_MAX)
  const mails = limitOf(MAILS_PER_RECIPIENT_MAX)
  const resets = limitOf(RESETS_PER_ACCOUNT_MAX)
  return {
    takeCall: (purpose, address) => take(calls, `${purpose} ${addressKey(address)}`),
    takeMail: (purpose, email) => take(mails, `${purpose} ${email}`),
    takeReset: (email) => take(resets, email),
  }
}

function take(limit: AttemptLimit, key: string) {
  const seconds = limit.take(key)
  if (seconds !== null) throw new AppError('too_many_requests', { seconds })
}
