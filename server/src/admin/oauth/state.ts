import { AppError, type OAuthProvider } from '@tollgate/contract'
import type { Callback } from '../../integrations/identity.ts'
import { newSessionId, type Secrets } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { insertOAuthState, tryOAuthState, useUpOAuthState } from '../../store/oauth-states.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

const STATE_SECONDS = 10 * 60

/** Who was signed in when it began, 0 for nobody: what began as a sign-in does not end as a binding. */
type Beginning = { userId: number }

/** A sign-in that begins in a browser; `browserId` is for its cookie. */
export async function beginState(
  deps: AdminDeps,
  {
    browserId: old,
    provider,
    userId,
  }: { browserId: string | null; provider: OAuthProvider | '' } & Beginning,
) {
  const state = newSessionId()
  // Tabs share it, so that each of them can come back.
  const browserId = old ?? newSessionId()
  const now = nowSeconds(deps)
  const row = {
    ...hashesOf(deps, { state, browserId, userId }),
    provider,
    expires_at: now + STATE_SECONDS,
  }
  await deps.database.transaction((tx) => insertOAuthState(tx, row, now))
  return { state, browserId }
}

export type TriedState = {
  /** Absent when a client built the address itself. */
  proof: Callback['proof']
  /** Throws when another request was quicker. */
  useUp: (tx: Tx) => Promise<void>
}

/** Counts a try; throws for a state that is not of this browser and user, or was used, or is too old. */
export async function tryState(
  deps: AdminDeps,
  given: { state: string; browserId: string | null; provider: OAuthProvider } & Beginning,
): Promise<TriedState> {
  const { state, browserId, provider, userId } = given
  if (state === '' || browserId === null) throw new AppError('oauth_state_invalid')
  const hashes = hashesOf(deps, { state, browserId, userId })
  const row = { ...hashes, provider }
  const found = await tryOAuthState(deps.database.kysely, row, nowSeconds(deps))
  if (!found) throw new AppError('oauth_state_invalid')
  return {
    proof: found.provider === '' ? undefined : proofOf(deps.secrets, state),
    useUp: async (tx) => {
      const isFirst = await useUpOAuthState(tx, hashes.state_hash)
      if (!isFirst) throw new AppError('oauth_state_invalid')
    },
  }
}

/** Made from the state by a secret of this server, and so stored nowhere. */
export const proofOf = ({ hashOneTime }: Secrets, state: string) => ({
  verifier: hashOneTime(`oauth verifier ${state}`),
  nonce: hashOneTime(`oauth nonce ${state}`),
})

const hashesOf = (
  { secrets: { hashOneTime } }: AdminDeps,
  { state, browserId, userId }: { state: string; browserId: string } & Beginning,
) => ({
  state_hash: hashOneTime(`oauth state ${state}`),
  browser_hash: hashOneTime(`oauth browser ${browserId} of ${userId}`),
})
