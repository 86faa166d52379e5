import { AppError, CONFIRMATION_SECONDS, type ConfirmationWay } from '@tollgate/contract'
import type { SessionFacts } from '../../http/session.ts'
import type { Site } from '../../http/site.ts'
import { factorsOf } from '../../store/second-factors.ts'
import { findSigningIn } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { Asking } from '../still-in.ts'
import { waysHere } from './factors.ts'

type Deps = Pick<AdminDeps, 'database' | 'settings' | 'now'>

export type Confirming = Asking & { site: Site }

export const confirmedUntil = ({ confirmedAt }: Pick<SessionFacts, 'confirmedAt'>) =>
  confirmedAt + CONFIRMATION_SECONDS

/**
 * Throws `confirmation_needed` unless the caller proved lately who they are: a browser may have been
 * left open. Access tokens pass: they are handed out after a confirmation alone, and nobody sits
 * before a script.
 */
export async function requireConfirmed(deps: Deps, confirming: Confirming) {
  const { session, accessToken } = confirming
  if (accessToken !== null) return
  if (session !== null && confirmedUntil(session) > nowSeconds(deps)) return
  const ways = await confirmationWays(deps, confirming)
  const error = new AppError(ways.length > 0 ? 'confirmation_needed' : 'confirmation_by_sign_in')
  error.beside = { code: 'confirmation_needed', ways }
  throw error
}

/** Throws `session_needed` for an access token: a thief of one must not get a session by it. */
export function requireSession({ accessToken }: Pick<Asking, 'accessToken'>) {
  if (accessToken !== null) throw new AppError('session_needed')
}

/** How the caller can confirm who they are; none where only a new sign-in does. */
export async function confirmationWays(
  deps: Deps,
  { caller, site }: Pick<Confirming, 'caller' | 'site'>,
): Promise<ConfirmationWay[]> {
  const { kysely } = deps.database
  const factors = await factorsOf(kysely, caller.id)
  const user = await findSigningIn(kysely, caller.id)
  return waysHere(deps, { factors, hasPassword: (user?.password_hash ?? '') !== '' }, site)
}
