import { AppError, DEFAULT_ROOT_PASSWORD, isRoot, USER_STATUS } from '@tollgate/contract'
import { isInRanges } from '../../network/ip-ranges.ts'
import { findCredentialsByName, lockCredentials, updateUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { passFirstFactor, type SignInOutcome, type Visit } from '../second-factor/begin-session.ts'
import { isDeviceOf, newDevice } from './device.ts'
import type { LoginLimits } from './login-limits.ts'

type PasswordLogin = Visit & {
  username: string
  password: string
  isNear: boolean
  device: string | null
}

/**
 * A wrong name, a wrong password and a ban give the same error after the same time. Root can always
 * log in by password, because root cannot have an external identity. A device token is issued only
 * after all factors.
 */
export async function logIn(
  deps: AdminDeps,
  limits: LoginLimits,
  { username, password, isNear, device: given, ...visit }: PasswordLogin,
): Promise<SignInOutcome & { device?: string }> {
  const { address } = visit
  const { PasswordLoginEnabled } = deps.settings.current()
  const user = await findCredentialsByName(deps.database.kysely, username)
  // Normalized like the lookup; otherwise upper case would reveal whether an address has an
  // account.
  const name = username.includes('@') ? username.toLowerCase() : username
  const device = user && given !== null && isDeviceOf(deps.secrets, given, user) ? given : null
  const { isLocked, forgive } = await limits.take({ address, name, user, device })
  const isRight = await deps.passwords.verify(password, user?.password_hash)
  const isAllowed = isRight && !isLocked && user?.status === USER_STATUS.enabled
  if (!isAllowed || (!PasswordLoginEnabled && !isRoot(user.role))) {
    throw new AppError(PasswordLoginEnabled ? 'wrong_credentials' : 'password_login_disabled')
  }
  await forgive()
  const isAdmitted = isNear || isInRanges(address, deps.env.DEFAULT_PASSWORD_NETWORKS.join(','))
  // The default password is public.
  if (isRoot(user.role) && password === DEFAULT_ROOT_PASSWORD && !isAdmitted) {
    throw new AppError('default_password_from_afar')
  }

  const password_hash = deps.passwords.isOutdated(user.password_hash)
    ? await deps.passwords.hash(password)
    : user.password_hash
  const outcome = await deps.database.transaction(async (tx) => {
    // A password change or ban during the check ended all sessions, so this login must fail too.
    const locked = await lockCredentials(tx, deps.database.kind, user.id)
    const isSame = locked?.password_hash === user.password_hash
    if (!isSame || locked?.status !== USER_STATUS.enabled) throw new AppError('wrong_credentials')
    if (password_hash !== user.password_hash) await updateUser(tx, user.id, { password_hash })
    return passFirstFactor(tx, deps, locked, visit)
  })
  if (outcome.type === 'pending') return outcome
  return { ...outcome, device: device ?? newDevice(deps.secrets, { ...user, password_hash }) }
}
