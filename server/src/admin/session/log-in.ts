import {
  AppError,
  DEFAULT_ROOT_PASSWORD,
  isRoot,
  type SessionUser,
  USER_STATUS,
} from '@tollgate/contract'
import { isInRanges } from '../../domain/ip-ranges.ts'
import { verifyPassword } from '../../http/password.ts'
import { SESSION_SECONDS } from '../../http/session.ts'
import { newSessionId } from '../../secrets.ts'
import { insertSession } from '../../store/sessions.ts'
import { findUserSigningIn, lockPassword } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { isDeviceOf, newDevice } from './device.ts'
import type { LoginLimits } from './login-limits.ts'

type Attempt = {
  username: string
  password: string
  address: string
  isNear: boolean
  device: string | null
}

/**
 * One message for a wrong name, a wrong password and a ban, after the same time. Root has no other
 * way in, so a password stays good for root when it is not for anybody else.
 */
export async function logIn(
  deps: AdminDeps,
  limits: LoginLimits,
  { username, password, address, isNear, device: given }: Attempt,
): Promise<{ user: SessionUser; sessionId: string; device: string }> {
  const { PasswordLoginEnabled } = deps.settings.current()
  const user = await findUserSigningIn(deps.database.kysely, username)
  // As it is looked up, or capitals of an address would tell whether somebody has it.
  const name = username.includes('@') ? username.toLowerCase() : username
  const device = user && given !== null && isDeviceOf(deps.secrets, given, user) ? given : null
  const { isLocked, forgive } = await limits.take({ address, name, user, device })
  const isRight = await verifyPassword(password, user?.password_hash)
  const isAllowed = isRight && !isLocked && user?.status === USER_STATUS.enabled
  if (!isAllowed || (!PasswordLoginEnabled && !isRoot(user.role))) {
    throw new AppError(PasswordLoginEnabled ? 'wrong_credentials' : 'password_login_disabled')
  }
  await forgive()
  const isAdmitted = isNear || isInRanges(address, deps.env.DEFAULT_PASSWORD_NETWORKS.join(','))
  // Everybody knows this password.
  if (isRoot(user.role) && password === DEFAULT_ROOT_PASSWORD && !isAdmitted) {
    throw new AppError('default_password_from_afar')
  }

  const sessionId = newSessionId()
  const now = nowSeconds(deps)
  await deps.database.transaction(async (tx) => {
    // It may have been changed while it was checked, which ended the sessions there were.
    const password_hash = await lockPassword(tx, deps.database.kind, user.id)
    if (password_hash !== user.password_hash) throw new AppError('wrong_credentials')
    await insertSession(tx, {
      id_hash: deps.secrets.hashSession(sessionId),
      user_id: user.id,
      created_time: now,
      expires_at: now + SESSION_SECONDS,
    })
  })
  return { user, sessionId, device: device ?? newDevice(deps.secrets, user) }
}
