import { AppError, type OAuthProvider, type SessionUser } from '@tollgate/contract'
import { findSessionUser } from '../../store/sessions.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { Asking } from '../still-in.ts'
import { confirmIdentity } from './ask-identity-server.ts'
import { bindIdentity, requireBindable } from './bind.ts'
import type { OAuthLimits } from './oauth-limits.ts'
import type { Providers } from './providers.ts'
import { signInByIdentity } from './sign-in.ts'
import { tryState } from './state.ts'

export type OAuthWorks = { limits: OAuthLimits; providers: Providers }

type Coming = {
  name: OAuthProvider
  code: string
  state: string
  browserId: string | null
  sessionId: string | null
  address: string
}

type Outcome = { type: 'bound' } | { type: 'signed_in'; user: SessionUser; sessionId: string }

/** The browser is back from another server: with a living session that binds, without it signs in. */
export async function comeBack(
  deps: AdminDeps,
  { limits, providers }: OAuthWorks,
  { name, code, state, browserId, sessionId, address }: Coming,
): Promise<Outcome> {
  const forgive = await limits.take('callback', address)
  const binder = await findBinder(deps, sessionId)
  // First of all, since clients take 403 for a sign-in that they did not begin.
  const tried = await tryState(deps, {
    state,
    browserId,
    provider: name,
    userId: binder?.caller.id ?? 0,
  })
  const provider = providers.require(name)
  if (binder) requireBindable(binder)
  if (code === '') throw new AppError('field_missing', { field: 'code' })
  const identity = await confirmIdentity(deps, provider, () =>
    provider.readIdentity({ code, proof: tried.proof }),
  )
  const alongside = tried.useUp
  if (binder) {
    await bindIdentity(deps, provider, { binder, identity, alongside })
    await forgive()
    return { type: 'bound' }
  }
  const signedIn = await signInByIdentity(deps, provider, { identity, alongside })
  await forgive()
  return { type: 'signed_in', ...signedIn }
}

/** Whose session it is, when it is one. */
export async function findBinder(
  deps: AdminDeps,
  sessionId: string | null,
): Promise<Asking | null> {
  if (sessionId === null) return null
  const idHash = deps.secrets.hashSession(sessionId)
  const caller = await findSessionUser(deps.database.kysely, idHash, nowSeconds(deps))
  return caller ? { caller, sessionId, accessToken: null } : null
}
