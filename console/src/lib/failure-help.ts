const TOP_UP = { to: '/topup', label: 'topupTitle.nav' } as const
const TOKENS = { to: '/token', label: 'tokenTitle.list' } as const
const MODELS = { to: '/catalog', label: 'catalogTitle.nav' } as const

type Place = typeof TOP_UP | typeof TOKENS | typeof MODELS

export const UNPAID = 'insufficient_user_quota'

const HELP: Readonly<Record<string, readonly Place[]>> = {
  // The balance, or the quota or budget of the token.
  [UNPAID]: [TOKENS, TOP_UP],
  quota_used_up: [TOKENS, TOP_UP],
  invalid_api_key: [TOKENS],
  model_not_allowed: [TOKENS],
  address_not_allowed: [TOKENS],
  no_channel: [MODELS],
  model_price_unset: [MODELS],
}

/** Where the reader can do something about it; other reasons pass, or are the operator's. */
export const helpFor = (endReason: string): readonly Place[] => HELP[endReason] ?? []
