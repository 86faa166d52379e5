import type { Quota } from '@tollgate/contract'
import type { LockedToken, LockedUser } from './account.ts'

export type HoldParts = { user_amount: Quota; token_amount: Quota; token_limited: 0 | 1 }

export type Charge = {
  charged: Quota
  tokenCharged: Quota
  uncollected: Quota
  /** What leaves the leased sums. */
  userPart: Quota
  tokenPart: Quota
}

type Accounts = { user: LockedUser | undefined; token: LockedToken | undefined }

/**
 * What was held and what is free can be charged, never what other requests hold. The owner comes
 * first: a token's limit, however it was edited, never lowers what its owner pays.
 */
export function computeCharge(cost: Quota, hold: HoldParts, { user, token }: Accounts): Charge {
  const userPart = Math.min(hold.user_amount, user?.quota_leased ?? 0)
  const coveredByUser = user ? userPart + user.quota - user.quota_leased : 0
  const charged = Math.min(cost, coveredByUser)

  const tokenPart = Math.min(hold.token_amount, token?.quota_leased ?? 0)
  const coveredByToken = token ? tokenPart + token.remain_quota - token.quota_leased : 0
  const tokenCharged = hold.token_limited === 1 ? Math.min(charged, coveredByToken) : 0
  return { charged, tokenCharged, uncollected: cost - charged, userPart, tokenPart }
}
