import { AppError, CONFIRMATION_SECONDS, type ConfirmationWay } from '@tollgate/contract'
import type { SessionInfo } from '../../http/session.ts'
import type { Site } from '../../http/site.ts'
import { type FactorSet, readFactors } from '../../store/second-factors.ts'
import { findCredentials } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { CallerContext } from '../reauthorize.ts'
import { isSetUp, noUsableFactorError, usableWays } from './factors.ts'

type Deps = Pick<AdminDeps, 'database' | 'settings' | 'now'>

export type Confirming = CallerContext & { site: Site }

export const confirmedUntil = ({ confirmedAt }: Pick<SessionInfo, 'confirmedAt'>) =>
  confirmedAt + CONFIRMATION_SECONDS

/**
 * Throws `confirmation_needed` unless the session was confirmed recently: a browser may be left
 * unattended. Access tokens pass, because creating one requires a confirmation and scripts run
 * unattended anyway.
 */
export async function requireConfirmed(deps: Deps, confirming: Confirming) {
  const { session, accessToken } = confirming
  if (accessToken !== null) return
  if (session !== null && confirmedUntil(session) > nowSeconds(deps)) return
  const { ways, factors } = await readWays(deps, confirming)
  const error = refusalOf(deps, { ways, factors, site: confirming.site })
  error.extra = { code: 'confirmation_needed', ways }
  throw error
}

/** Throws `session_needed` for an access token: a stolen token must not lead to a session. */
export function requireSession({ accessToken }: Pick<CallerContext, 'accessToken'>) {
  if (accessToken !== null) throw new AppError('session_needed')
}

type Here = Pick<Confirming, 'caller' | 'site'>

type Ways = { ways: ConfirmationWay[]; factors: FactorSet }

/** Logging in again asks for the same second factor, so it helps only accounts without one. */
function refusalOf(deps: Deps, { ways, factors, site }: Ways & { site: Site }): AppError {
  if (ways.length > 0) return new AppError('confirmation_needed')
  if (isSetUp(factors)) return noUsableFactorError(deps, factors, site)
  return new AppError('confirmation_by_sign_in')
}

export async function confirmationWays(deps: Deps, here: Here): Promise<ConfirmationWay[]> {
  return (await readWays(deps, here)).ways
}

async function readWays(deps: Deps, { caller, site }: Here): Promise<Ways> {
  const { kysely } = deps.database
  const factors = await readFactors(kysely, caller.id)
  const user = await findCredentials(kysely, caller.id)
  const hasPassword = (user?.password_hash ?? '') !== ''
  return { factors, ways: usableWays(deps, { factors, hasPassword }, site) }
}
