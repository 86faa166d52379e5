import { AppError, type SessionUser, USER_STATUS } from '@tollgate/contract'
import { verifyPassword } from '../../http/password.ts'
import { SESSION_SECONDS } from '../../http/session.ts'
import { newSessionId } from '../../secrets.ts'
import { insertSession } from '../../store/sessions.ts'
import { findUserSigningIn } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { LoginLimits } from './login-limits.ts'

type Attempt = { username: string; password: string; address: string }

/** One message for a wrong name, a wrong password and a ban, after the same time. */
export async function logIn(
  deps: AdminDeps,
  limits: LoginLimits,
  { username, password, address }: Attempt,
): Promise<{ user: SessionUser; sessionId: string }> {
  if (!deps.settings.current().PasswordLoginEnabled) {
    throw new AppError('password_login_disabled')
  }
  const user = await findUserSigningIn(deps.database.kysely, username)
  const account = user ? `id ${user.id}` : `name ${username}`
  const forgive = limits.take({ address, account })
  const isRight = await verifyPassword(password, user?.password_hash)
  if (!user || !isRight || user.status !== USER_STATUS.enabled) {
    throw new AppError('wrong_credentials')
  }
  forgive()

  const sessionId = newSessionId()
  const now = nowSeconds(deps)
  await deps.database.transaction((tx) =>
    insertSession(tx, {
      id_hash: deps.secrets.hashSession(sessionId),
      user_id: user.id,
      created_time: now,
      expires_at: now + SESSION_SECONDS,
    }),
  )
  return { user, sessionId }
}
