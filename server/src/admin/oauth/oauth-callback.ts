import { AppError, type OAuthProvider } from '@tollgate/contract'
import { createAccounts } from '../accounts.ts'
import type { AdminDeps } from '../deps.ts'
import type { CallerContext } from '../reauthorize.ts'
import type { SignInOutcome, Visit } from '../second-factor/begin-session.ts'
import { requireSecondFactor } from '../second-factor/require-second-factor.ts'
import { confirmIdentity } from './ask-identity-server.ts'
import { bindIdentity, requireBindable } from './bind.ts'
import type { OAuthLimits } from './oauth-limits.ts'
import type { Providers } from './providers.ts'
import { signInByIdentity } from './sign-in.ts'
import { verifyState } from './state.ts'

export type OAuthDeps = { limits: OAuthLimits; providers: Providers }

type CallbackRequest = Visit & {
  name: OAuthProvider
  code: string
  state: string
  browserId: string | null
  sessionId: string | null
}

type Outcome = { type: 'bound' } | SignInOutcome

/** Administrators without a required second factor cannot bind. */
const BINDING = { parts: {} }

/**
 * Handles the redirect from an identity server: binds with a live session, logs in without one.
 */
export async function handleCallback(
  deps: AdminDeps,
  { limits, providers }: OAuthDeps,
  { name, code, state, browserId, sessionId, ...visit }: CallbackRequest,
): Promise<Outcome> {
  const { address } = visit
  const forgive = await limits.take('callback', address)
  const binder = await findBinder(deps, sessionId)
  // The state is checked first: clients read 403 as a login they did not start.
  const verified = await verifyState(deps, {
    state,
    browserId,
    provider: name,
    userId: binder?.caller.id ?? 0,
  })
  const provider = providers.require(name)
  if (binder) {
    requireBindable(binder)
    await requireSecondFactor(deps, BINDING, binder)
  }
  if (code === '') throw new AppError('field_missing', { field: 'code' })
  const identity = await confirmIdentity(deps, provider, () =>
    provider.readIdentity({ code, proof: verified.proof }),
  )
  const inTransaction = verified.consume
  if (binder) {
    await bindIdentity(deps, provider, { binder, identity, inTransaction })
    await forgive()
    return { type: 'bound' }
  }
  const outcome = await signInByIdentity(deps, provider, { identity, visit, inTransaction })
  await forgive()
  return outcome
}

/** The session's owner, or null if the session is missing or expired. */
export async function findBinder(
  deps: AdminDeps,
  sessionId: string | null,
): Promise<CallerContext | null> {
  if (sessionId === null) return null
  const found = await createAccounts(deps).findBySession(sessionId)
  return found ? { ...found, sessionId, accessToken: null } : null
}
