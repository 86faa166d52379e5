import type { Factor, PendingSignIn, SessionUser } from '@tollgate/contract'
import { SESSION_SECONDS } from '../../http/session.ts'
import type { Site } from '../../http/site.ts'
import { newSessionId } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { readFactors } from '../../store/second-factors.ts'
import { insertSession } from '../../store/sessions.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { usableFactors, isSetUp, noUsableFactorError } from './factors.ts'
import { presentUserAgent } from './present-user-agent.ts'
import { issueTicket } from './tickets.ts'

export type Visit = { address: string; userAgent: string; site: Site }

export type SignedIn = { type: 'signed_in'; user: SessionUser; sessionId: string }

export type SignInOutcome = SignedIn | { type: 'pending'; ticket: string; factors: Factor[] }

/**
 * Called after a correct first factor. Opens a session, or issues a ticket if the account has a
 * second factor. Throws if no second factor works at the browser's site.
 */
export async function passFirstFactor(
  tx: Tx,
  deps: AdminDeps,
  user: SessionUser,
  visit: Visit,
): Promise<SignInOutcome> {
  const factors = await readFactors(tx, user.id)
  if (!isSetUp(factors)) return openSession(tx, deps, user, visit)
  const usable = usableFactors(deps, factors, visit.site)
  if (usable.length === 0) throw noUsableFactorError(deps, factors, visit.site)
  const ticket = await issueTicket(tx, deps, { purpose: 'sign_in', userId: user.id })
  return { type: 'pending', ticket, factors: usable }
}

/** Call only for a user who has passed every factor of the account. */
export async function openSession(
  tx: Tx,
  deps: AdminDeps,
  user: SessionUser,
  { address, userAgent }: Visit,
): Promise<SignedIn> {
  const sessionId = newSessionId()
  const now = nowSeconds(deps)
  await insertSession(tx, {
    id_hash: deps.secrets.hashSession(sessionId),
    user_id: user.id,
    created_time: now,
    expires_at: now + SESSION_SECONDS,
    address,
    user_agent: presentUserAgent(userAgent),
  })
  return { type: 'signed_in', user, sessionId }
}

export const signInReply = (
  outcome: SignInOutcome,
): { data: SessionUser | PendingSignIn; session?: string } =>
  outcome.type === 'signed_in'
    ? { data: outcome.user, session: outcome.sessionId }
    : { data: { require_2fa: true, ticket: outcome.ticket, factors: outcome.factors } }
