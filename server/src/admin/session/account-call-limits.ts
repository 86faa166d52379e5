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
/** Of one caller and of all: nobody alone keeps an address from its mail, or its code from being typed. */
const MAILS_PER_CALLER_MAX = 5
const MAILS_PER_RECIPIENT_MAX = 20
/** Half of those that a code has in all (`verification-codes.ts`). */
const TRIES_PER_CALLER_MAX = 5
const RESETS_PER_ACCOUNT_MAX = 10

/** Each throws `too_many_requests`, whether or not there is an account. */
export type AccountCallLimits = {
  takeCall: (
    purpose: 'register' | 'verification' | 'reset-mail' | 'reset',
    address: string,
  ) => Promise<void>
  takeMail: (purpose: 'verification' | 'reset', email: string, address: string) => Promise<void>
  /** A try to type this code, which is named by its hash; resolves to what takes it back when it was right. */
  takeTry: (codeHash: string, address: string) => Promise<() => Promise<void>>
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
  const tries = limitOf('code', TRIES_PER_CALLER_MAX, CODE_SECONDS)
  const resets = limitOf('reset', RESETS_PER_ACCOUNT_MAX)
  return {
    takeCall: (purpose, address) => takeOrRefuse(calls, `${purpose} ${addressKey(address)}`),
    takeMail: (purpose, email, address) => takeMail(mails, `${purpose} ${email}`, address),
    takeTry: async (codeHash, address) => {
      const key = `${addressKey(address)} ${codeHash}`
      await takeOrRefuse(tries, key)
      return () => tries.giveBack(key)
    },
    takeReset: (email) => takeOrRefuse(resets, email),
  }
}

type MailLimits = Record<'ofCaller' | 'ofAll', AttemptLimit>

/** Of a mail that is refused for what others had sent nothing counts. */
async function takeMail({ ofCaller, ofAll }: MailLimits, recipient: string, address: string) {
  const key = `${addressKey(address)} ${recipient}`
  await takeOrRefuse(ofCaller, key)
  const seconds = await ofAll.take(recipient)
  if (seconds === null) return
  await ofCaller.giveBack(key)
  throw new AppError('too_many_requests', { seconds })
}
