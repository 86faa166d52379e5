import { AppError, type OAuthProvider } from '@tollgate/contract'
import type { Callback } from '../../integrations/identity.ts'
import { newSessionId, type Secrets } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { insertOAuthState, tryOAuthState, consumeOAuthState } from '../../store/oauth-states.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

const STATE_SECONDS = 10 * 60

/**
 * The logged-in user at the start, or 0. A flow that began as a login cannot end as a binding.
 */
type StateOwner = { userId: number }

/** Starts a login in a browser; `browserId` goes into its cookie. */
export async function beginState(
  deps: AdminDeps,
  {
    browserId: old,
    provider,
    userId,
  }: { browserId: string | null; provider: OAuthProvider | '' } & StateOwner,
) {
  const state = newSessionId()
  // Tabs share the id, so that each of them can complete its flow.
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

export type VerifiedState = {
  /** Undefined if the client built the URL itself. */
  proof: Callback['proof']
  /** Throws if another request used the state first. */
  consume: (tx: Tx) => Promise<void>
}

/** Counts an attempt. Throws if the state is expired, used, or not of this browser and user. */
export async function verifyState(
  deps: AdminDeps,
  callback: { state: string; browserId: string | null; provider: OAuthProvider } & StateOwner,
): Promise<VerifiedState> {
  const { state, browserId, provider, userId } = callback
  if (state === '' || browserId === null) throw new AppError('oauth_state_invalid')
  const hashes = hashesOf(deps, { state, browserId, userId })
  const row = { ...hashes, provider }
  const found = await tryOAuthState(deps.database.kysely, row, nowSeconds(deps))
  if (!found) throw new AppError('oauth_state_invalid')
  return {
    proof: found.provider === '' ? undefined : proofOf(deps.secrets, state),
    consume: async (tx) => {
      const isFirst = await consumeOAuthState(tx, hashes.state_hash)
      if (!isFirst) throw new AppError('oauth_state_invalid')
    },
  }
}

/** Derived from the state by a server secret, so it need not be stored. */
export const proofOf = ({ hashOneTime }: Secrets, state: string) => ({
  verifier: hashOneTime(`oauth verifier ${state}`),
  nonce: hashOneTime(`oauth nonce ${state}`),
})

const hashesOf = (
  { secrets: { hashOneTime } }: AdminDeps,
  { state, browserId, userId }: { state: string; browserId: string } & StateOwner,
) => ({
  state_hash: hashOneTime(`oauth state ${state}`),
  browser_hash: hashOneTime(`oauth browser ${browserId} of ${userId}`),
})
