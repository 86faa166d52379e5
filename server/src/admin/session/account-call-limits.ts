import { addressKey, createAttemptLimit, takeOrRefuse } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const CALLS_PER_ADDRESS_MAX = 20
const MAILS_PER_RECIPIENT_MAX = 5
const RESETS_PER_ACCOUNT_MAX = 10

/** Each throws `too_many_requests`, whether or not there is an account. */
export type AccountCallLimits = {
  takeCall: (purpose: 'register' | 'verification' | 'reset-mail' | 'reset', address: string) => void
  takeMail: (purpose: 'verification' | 'reset', email: string) => void
  takeReset: (email: string) => void
}

export function createAccountCallLimits(now: () => number): AccountCallLimits {
  const limitOf = (most: number) => createAttemptLimit({ most, windowMs: WINDOW_MS, now })
  const calls = limitOf(CALLS_PER_ADDRESS_MAX)
  const mails = limitOf(MAILS_PER_RECIPIENT_MAX)
  const resets = limitOf(RESETS_PER_ACCOUNT_MAX)
  return {
    takeCall: (purpose, address) => takeOrRefuse(calls, `${purpose} ${addressKey(address)}`),
    takeMail: (purpose, email) => takeOrRefuse(mails, `${purpose} ${email}`),
    takeReset: (email) => takeOrRefuse(resets, email),
  }
}
