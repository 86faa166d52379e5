import { AppError, type EndpointInput, type sessionEndpoints } from '@tollgate/contract'
import { hashPassword } from '../../http/password.ts'
import { isUsernameTaken } from '../../store/users.ts'
import { type GivenCode, spendCode, tryCode } from '../../store/verification-codes.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { createAccount, withNewAccount } from '../users/create-account.ts'
import type { AccountCallLimits } from './account-call-limits.ts'
import { requireHuman } from './human-check.ts'
import { typedCode } from './one-time-code.ts'
import { requireEmailDomain } from './require-email-domain.ts'

type Registration = EndpointInput<typeof sessionEndpoints.register>['body']

type Registering = {
  draft: Registration
  turnstile: string
  address: string
}

/** Creates an account and signs nobody in. An address that was not verified is not kept. */
export async function register(
  deps: AdminDeps,
  limits: AccountCallLimits,
  { draft, turnstile, address }: Registering,
) {
  const { RegisterEnabled, PasswordRegisterEnabled, EmailVerificationEnabled } =
    deps.settings.current()
  if (!RegisterEnabled) throw new AppError('registration_disabled')
  if (!PasswordRegisterEnabled) throw new AppError('password_registration_disabled')
  limits.takeCall('register', address)
  await requireHuman(deps, { turnstile, address })
  const { username, aff_code: inviteCode } = draft
  if (await isUsernameTaken(deps.database.kysely, username)) {
    throw new AppError('username_taken', { username })
  }
  const code = EmailVerificationEnabled ? await requireRightCode(deps, draft) : null
  const password_hash = await hashPassword(draft.password)
  const email = code?.email ?? ''
  await withNewAccount(deps, { username }, async (tx) => {
    if (code && !(await spendCode(tx, code))) throw new AppError('verification_code_wrong')
    await createAccount(tx, deps, {
      username,
      password_hash,
      display_name: '',
      email,
      inviteCode,
    })
  })
}

/** That an address is taken is told to those only who have the code of it. */
async function requireRightCode(
  deps: AdminDeps,
  { email, verification_code }: Registration,
): Promise<GivenCode> {
  if (email === '') throw new AppError('field_missing', { field: 'email' })
  if (verification_code === '') throw new AppError('field_missing', { field: 'verification_code' })
  requireEmailDomain(deps.settings.current(), email)
  const code = typedCode(deps.secrets, email, verification_code)
  const isRight = await tryCode(deps.database.kysely, code, nowSeconds(deps))
  if (!isRight) throw new AppError('verification_code_wrong')
  return code
}
