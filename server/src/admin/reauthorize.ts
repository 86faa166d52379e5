import { AppError, USER_STATUS } from '@tollgate/contract'
import type { Caller, CameBy } from '../http/session.ts'
import type { Tx } from '../store/database.ts'
import { accountsIn } from './accounts.ts'
import type { AdminDeps } from './deps.ts'

/** Who asks for a change, and by what. */
export type Asking = CameBy & { caller: Caller }

/** For what asks a server outside, with a secret of ours: right before. */
export const reauthorizeNow = (
  deps: Pick<AdminDeps, 'database' | 'secrets' | 'now'>,
  asking: Asking,
) => deps.database.transaction((tx) => reauthorize(tx, deps, asking))

/**
 * The caller as they are when this transaction reads them: asked once it waits for nobody any more, or what ended
 * meanwhile would not be seen. Throws `not_signed_in`, `invalid_access_token`,
 * `account_banned` or `not_allowed` where their session or access token ended, they were banned or lost their role while
 * the request was under way.
 */
export async function reauthorize(
  tx: Tx,
  deps: Pick<AdminDeps, 'secrets' | 'now'>,
  { caller, sessionId, accessToken }: Asking,
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
