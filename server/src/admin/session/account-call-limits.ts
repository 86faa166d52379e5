import { AppError } from '@tollgate/contract'
import {
  addressKey,
  type AttemptLimit,
  createAttemptLimit,
  takeOrRefuse,
} from '../../http/rate-limit.ts'
import { CODE_SECONDS } from './one-time-code.ts'

const WINDOW_MS = 20 * 60 * 1000
const CALLS_PER_ADDRESS_MAX = 20
/** Of one caller and of all: nobody alone keeps an address from its mail, or its code from being typed. */
const MAILS_PER_CALLER_MAX = 5
const MAILS_PER_RECIPIENT_MAX = 20
/** The database counts the tries of all. */
const TRIES_PER_CALLER_MAX = 5
const RESETS_PER_ACCOUNT_MAX = 10

/** Each throws `too_many_requests`, whether or not there is an account. */
export type AccountCallLimits = {
  takeCall: (purpose: 'register' | 'verification' | 'reset-mail' | 'reset', address: string) => void
  takeMail: (purpose: 'verification' | 'reset', email: string, address: string) => void
  /** A try to type the code of this mail address; returns what takes it back when it was right. */
  takeTry: (email: string, address: string) => () => void
  takeReset: (email: string) => void
}

export function createAccountCallLimits(now: () => number): AccountCallLimits {
  const limitOf = (most: number) => createAttemptLimit({ most, windowMs: WINDOW_MS, now })
  const calls = limitOf(CALLS_PER_ADDRESS_MAX)
  const mails = {
    ofCaller: limitOf(MAILS_PER_CALLER_MAX),
    ofAll: limitOf(MAILS_PER_RECIPIENT_MAX),
  }
  const tries = createAttemptLimit({
    most: TRIES_PER_CALLER_MAX,
    windowMs: CODE_SECONDS * 1000,
    now,
  })
  const resets = limitOf(RESETS_PER_ACCOUNT_MAX)
  return {
    takeCall: (purpose, address) => takeOrRefuse(calls, `${purpose} ${addressKey(address)}`),
    takeMail: (purpose, email, address) => takeMail(mails, `${purpose} ${email}`, address),
    takeTry: (email, address) => {
      const key = `${addressKey(address)} ${email}`
      takeOrRefuse(tries, key)
      return () => tries.giveBack(key)
    },
    takeReset: (email) => takeOrRefuse(resets, email),
  }
}

type MailLimits = Record<'ofCaller' | 'ofAll', AttemptLimit>

/** Of a mail that is refused for what others had sent nothing counts. */
function takeMail({ ofCaller, ofAll }: MailLimits, recipient: string, address: string) {
  const key = `${addressKey(address)} ${recipient}`
  takeOrRefuse(ofCaller, key)
  const seconds = ofAll.take(recipient)
  if (seconds === null) return
  ofCaller.giveBack(key)
  throw new AppError('too_many_requests', { seconds })
}
