import { AppError, type EndpointInput, type sessionEndpoints } from '@tollgate/contract'
import { isUsernameTaken } from '../../store/users.ts'
import { type HashedCode, spendCode } from '../../store/verification-codes.ts'
import type { AdminDeps } from '../deps.ts'
import { createAccount, withNewAccount } from '../users/create-account.ts'
import type { AccountCallLimits } from './account-call-limits.ts'
import type { HumanCheck } from './captcha.ts'
import { requireOwnMailbox } from './require-own-mailbox.ts'
import { requireValidCode } from './require-valid-code.ts'

type Registration = EndpointInput<typeof sessionEndpoints.register>['body']

type Registering = {
  draft: Registration
  turnstile: string
  address: string
}

/** Creates an account without logging in. An unverified address is not stored. */
export async function register(
  deps: AdminDeps,
  guards: AccountCallLimits & HumanCheck,
  registering: Registering,
) {
  const { draft, turnstile, address } = registering
  const { RegisterEnabled, PasswordRegisterEnabled, EmailVerificationEnabled } =
    deps.settings.current()
  if (!RegisterEnabled) throw new AppError('registration_disabled')
  if (!PasswordRegisterEnabled) throw new AppError('password_registration_disabled')
  await guards.takeCall('register', address)
  await guards.requireHuman('register', { turnstile, address })
  const { username, aff_code: inviteCode } = draft
  if (await isUsernameTaken(deps.database.kysely, username)) {
    throw new AppError('username_taken', { username })
  }
  const code = EmailVerificationEnabled ? await mailedCode(deps, guards, registering) : null
  const password_hash = await deps.passwords.hash(draft.password)
  const email = code?.email ?? ''
  await withNewAccount(deps, { username }, async (tx) => {
    if (code && !(await spendCode(tx, code)))
      throw new AppError('verification_code_wrong', { field: 'verification_code' })
    await requireOwnMailbox(tx, deps, { email })
    await createAccount(tx, deps, {
      username,
      password_hash,
      display_name: '',
      email,
      inviteCode,
    })
  })
}

/** Checks the code first: only its holder may learn that the address is taken. */
async function mailedCode(
  deps: AdminDeps,
  limits: AccountCallLimits,
  { draft, address }: Registering,
): Promise<HashedCode> {
  const { email, verification_code: code } = draft
  if (email === '') throw new AppError('field_missing', { field: 'email' })
  if (code === '') throw new AppError('field_missing', { field: 'verification_code' })
  return requireValidCode(deps, limits, { email, code, address, field: 'verification_code' })
}
