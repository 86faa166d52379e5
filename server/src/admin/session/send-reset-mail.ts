import { isRoot, type OptionValues, USER_STATUS } from '@tollgate/contract'
import { newResetToken } from '../../secrets.ts'
import { consoleAddress } from '../../settings/console-address.ts'
import { enqueue } from '../../store/outbox.ts'
import { findUserByEmail } from '../../store/users.ts'
import { putCode } from '../../store/verification-codes.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { AccountCallLimits } from './account-call-limits.ts'
import type { HumanCheck } from './human-check.ts'
import { CODE_MINUTES, CODE_SECONDS, hashedCode } from './one-time-code.ts'
import type { MailRequest } from './send-verification-code.ts'

/**
 * The same work and the same answer whether or not somebody may reset by this address: where nobody
 * may, a token is stored that nobody gets. Root is reset on the server only.
 */
export async function sendResetMail(
  deps: AdminDeps,
  guards: AccountCallLimits & HumanCheck,
  { email, turnstile, address, language }: MailRequest,
) {
  await guards.takeCall('reset-mail', address)
  await guards.requireHuman('reset-mail', { turnstile, address })
  await guards.takeMail('reset', email, address)

  const { database, secrets, log } = deps
  const options = deps.settings.current()
  const missing = missingOption(options)
  if (missing !== null) log.warn(`no reset mail is sent: the option ${missing} is not set`)
  const now = nowSeconds(deps)
  const token = newResetToken()
  // The host a browser asked for may be anybody's, so the options alone name the address.
  const link = `${consoleAddress(options)}/user/reset?email=${encodeURIComponent(email)}&token=${token}`
  const link_sealed = secrets.sealMessage(link)
  await database.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email)
    const isSent = missing === null && user !== undefined && mayReset(user)
    const hashed = hashedCode(
      secrets,
      { purpose: 'reset', email },
      isSent ? token : newResetToken(),
    )
    await putCode(tx, { ...hashed, expires_at: now + CODE_SECONDS }, now)
    const message = isSent
      ? ({ type: 'reset', to: email, link_sealed, minutes: CODE_MINUTES, language } as const)
      : ({ type: 'nothing' } as const)
    await enqueue(tx, message, now)
  })
}

export const mayReset = ({ role, status }: { role: number; status: number }) =>
  !isRoot(role) && status === USER_STATUS.enabled

function missingOption(options: OptionValues): string | null {
  if (consoleAddress(options) === '') return 'ServerAddress'
  return options.SMTPServer === '' ? 'SMTPServer' : null
}
