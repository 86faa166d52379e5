import { AppError } from '@tollgate/contract'
import { addressKey } from '../../http/rate-limit.ts'
import {
  type AttemptLimit,
  createAttemptLimit,
  type LimitDeps,
  takeOrRefuse,
} from '../attempt-limit.ts'
import { CODE_SECONDS } from './one-time-code.ts'

const WINDOW_SECONDS = 20 * 60
const CALLS_PER_ADDRESS_MAX = 20
/**
 * Two limits, so that a single caller cannot block mails to an address or use up the attempts of a
 * code.
 */
const MAILS_PER_CALLER_MAX = 5
const MAILS_PER_RECIPIENT_MAX = 20
/** Half of a code's total attempts (`verification-codes.ts`). */
const CODE_ATTEMPTS_PER_CALLER_MAX = 5
const RESETS_PER_ACCOUNT_MAX = 10

/** Each method throws `too_many_requests`, whether or not there is an account. */
export type AccountCallLimits = {
  takeCall: (
    purpose: 'register' | 'verification' | 'reset-mail' | 'reset',
    address: string,
  ) => Promise<void>
  takeMail: (purpose: 'verification' | 'reset', email: string, address: string) => Promise<void>
  /**
   * Counts an attempt to enter a code, keyed by its hash. Resolves to a function that refunds it.
   */
  takeCodeAttempt: (codeHash: string, address: string) => Promise<() => Promise<void>>
  takeReset: (email: string) => Promise<void>
}

export function createAccountCallLimits(deps: LimitDeps): AccountCallLimits {
  const limitOf = (name: string, most: number, seconds = WINDOW_SECONDS) =>
    createAttemptLimit(deps, { name, most, seconds })
  const calls = limitOf('call', CALLS_PER_ADDRESS_MAX)
  const mails = {
    ofCaller: limitOf('mail of caller', MAILS_PER_CALLER_MAX),
    ofAll: limitOf('mail', MAILS_PER_RECIPIENT_MAX),
  }
  const codeAttempts = limitOf('code', CODE_ATTEMPTS_PER_CALLER_MAX, CODE_SECONDS)
  const resets = limitOf('reset', RESETS_PER_ACCOUNT_MAX)
  return {
    takeCall: (purpose, address) => takeOrRefuse(calls, `${purpose} ${addressKey(address)}`),
    takeMail: (purpose, email, address) => takeMail(mails, `${purpose} ${email}`, address),
    takeCodeAttempt: async (codeHash, address) => {
      const key = `${addressKey(address)} ${codeHash}`
      await takeOrRefuse(codeAttempts, key)
      return () => codeAttempts.release(key)
    },
    takeReset: (email) => takeOrRefuse(resets, email),
  }
}

type MailLimits = Record<'ofCaller' | 'ofAll', AttemptLimit>

/** A mail rejected by the shared limit does not count against the caller. */
async function takeMail({ ofCaller, ofAll }: MailLimits, recipient: string, address: string) {
  const key = `${addressKey(address)} ${recipient}`
  await takeOrRefuse(ofCaller, key)
  const seconds = await ofAll.take(recipient)
  if (seconds === null) return
  await ofCaller.release(key)
  throw new AppError('too_many_requests', { seconds })
}
