import {
  AppError,
  errorText,
  isAdmin,
  isRoot,
  type OptionValues,
  USER_STATUS,
} from '@tollgate/contract'
import { newResetToken } from '../../secrets.ts'
import { consoleAddress } from '../../settings/console-address.ts'
import { findIdentityBlock } from '../../settings/identity-ways.ts'
import { enqueue } from '../../store/outbox.ts'
import { findUserByEmail } from '../../store/users.ts'
import { putCode } from '../../store/verification-codes.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { AccountCallLimits } from './account-call-limits.ts'
import type { HumanCheck } from './captcha.ts'
import { CODE_MINUTES, CODE_SECONDS, hashedCode } from './one-time-code.ts'
import type { MailRequest } from './send-verification-code.ts'

/**
 * Does the same work and gives the same response whether or not the address may be reset; if not,
 * an unusable token is stored. Root can be reset on the server only. Administrators cannot be reset
 * while a change of the relevant options awaits root's confirmation.
 */
export async function sendResetMail(
  deps: AdminDeps,
  guards: AccountCallLimits & HumanCheck,
  { email, turnstile, address, language }: MailRequest,
) {
  await guards.takeCall('reset-mail', address)
  await guards.requireHuman('reset-mail', { turnstile, address })
  const { database, secrets, log } = deps
  const options = deps.settings.current()
  const missing = missingOption(options)
  if (missing !== null) {
    log.warn(`no reset email is sent: the option ${missing} is not set`)
    throw new AppError('reset_mail_unavailable')
  }
  await guards.takeMail('reset', email, address)

  const used = { way: 'reset_mail', version: deps.settings.versionOf('reset_mail') } as const
  const now = nowSeconds(deps)
  const token = newResetToken()
  // The Host header may be forged, so the address comes from the options.
  const link = `${consoleAddress(options)}/user/reset?email=${encodeURIComponent(email)}&token=${token}`
  const link_sealed = secrets.sealMessage(link)
  const heldBack = await database.transaction(async (tx) => {
    const user = await findUserByEmail(tx, email)
    const block = await findIdentityBlock(tx, used)
    const isHeldBack = block !== null && user !== undefined && isAdmin(user.role)
    const isSent = user !== undefined && mayReset(user) && !isHeldBack
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
    return isHeldBack ? block : null
  })
  if (heldBack !== null) {
    const reason = errorText(heldBack.code, heldBack.params, 'en')
    log.warn({ reason }, 'no reset email is sent to an administrator')
  }
}

export const mayReset = ({ role, status }: { role: number; status: number }) =>
  !isRoot(role) && status === USER_STATUS.enabled

function missingOption(options: OptionValues): string | null {
  if (consoleAddress(options) === '') return 'ServerAddress'
  return options.SMTPServer === '' ? 'SMTPServer' : null
}
