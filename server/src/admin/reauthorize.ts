import { AppError, USER_STATUS } from '@tollgate/contract'
import type { Caller, Credentials } from '../http/session.ts'
import type { Tx } from '../store/database.ts'
import { accountsIn } from './accounts.ts'
import type { AdminDeps } from './deps.ts'

/** The caller of a change and the credential used. */
export type CallerContext = Credentials & { caller: Caller }

/** For calls that send one of our secrets to an external server. Call right before sending. */
export const reauthorizeNow = (
  deps: Pick<AdminDeps, 'database' | 'secrets' | 'now'>,
  context: CallerContext,
) => deps.database.transaction((tx) => reauthorize(tx, deps, context))

/**
 * Reads the caller again inside a transaction. Call after all locks are held; otherwise a change
 * during the wait would be missed. Throws `not_signed_in`, `invalid_access_token`, `account_banned`
 * or `not_allowed` if the session or access token ended, the caller was banned or lost the role
 * during the request.
 */
export async function reauthorize(
  tx: Tx,
  deps: Pick<AdminDeps, 'secrets' | 'now'>,
  { caller, sessionId, accessToken }: CallerContext,
): Promise<Caller> {
  const accounts = accountsIn(tx, deps)
  const bySession = sessionId === null ? null : await accounts.findBySession(sessionId)
  const byToken = accessToken === null ? null : await accounts.findByAccessToken(accessToken)
  const found = bySession?.caller ?? byToken
  if (found?.id !== caller.id) {
    throw new AppError(accessToken === null ? 'not_signed_in' : 'invalid_access_token')
  }
  if (found.status !== USER_STATUS.enabled) throw new AppError('account_banned')
  if (found.role < caller.role) throw new AppError('not_allowed')
  return found
}
