import { AppError, type Language, VERIFICATION_CODE_LENGTH } from '@tollgate/contract'
import { newVerificationCode } from '../../secrets.ts'
import { enqueue } from '../../store/outbox.ts'
import { findUserByEmail, isMailboxTaken } from '../../store/users.ts'
import { putCode } from '../../store/verification-codes.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { AccountCallLimits } from './account-call-limits.ts'
import type { HumanCheck } from './captcha.ts'
import { CODE_MINUTES, CODE_SECONDS, hashedCode } from './one-time-code.ts'
import { requireEmailDomain } from './require-email-domain.ts'

export type MailRequest = { email: string; turnstile: string; address: string; language: Language }

/**
 * If the address is taken, its owner is notified by mail. The caller gets the usual response after
 * the same work, and an unusable code is stored.
 */
export async function sendVerificationCode(
  deps: AdminDeps,
  guards: AccountCallLimits & HumanCheck,
  { email, turnstile, address, language }: MailRequest,
) {
  await guards.takeCall('verification', address)
  await guards.requireHuman('verification', { turnstile, address })
  const options = deps.settings.current()
  requireEmailDomain(options, email)
  if (options.SMTPServer === '') throw new AppError('mail_not_configured')
  await guards.takeMail('verification', email, address)

  const { database, secrets } = deps
  const now = nowSeconds(deps)
  const code = newVerificationCode(VERIFICATION_CODE_LENGTH)
  const code_sealed = secrets.sealMessage(code)
  await database.transaction(async (tx) => {
    const isTaken =
      (await findUserByEmail(tx, email)) !== undefined ||
      (options.EmailAliasRestrictionEnabled && (await isMailboxTaken(tx, { email })))
    const stored = isTaken ? newVerificationCode(VERIFICATION_CODE_LENGTH) : code
    const hashed = hashedCode(secrets, { purpose: 'verification', email }, stored)
    await putCode(tx, { ...hashed, expires_at: now + CODE_SECONDS }, now)
    const message = isTaken
      ? ({ type: 'address-in-use', to: email, language } as const)
      : ({ type: 'verification', to: email, code_sealed, minutes: CODE_MINUTES, language } as const)
    await enqueue(tx, message, now)
  })
}
