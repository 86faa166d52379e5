import { NANO_DOLLARS } from '@tollgate/contract'
import { COST_SCALE } from './exact-arithmetic.ts'
import { exactCostAt, type Price } from './price.ts'
import { providerCostOf, type ProviderPrice } from './provider-cost.ts'

/** What customers pay for a model: its price and the ratio of their group. */
export type Sale = {
  readonly price: Price
  readonly groupRatio: number
  readonly quotaPerUnit: number
}

/** Short enough for every price of a prompt of usual length. */
const TOKENS = 1000
const NONE = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

/** Where one side is priced by the call, only a whole call can be compared. */
const PARTS = {
  input: { ...NONE, promptTokens: TOKENS },
  cached: { ...NONE, promptTokens: TOKENS, cachedTokens: TOKENS },
  output: { ...NONE, completionTokens: TOKENS },
  call: { ...NONE, promptTokens: TOKENS, completionTokens: TOKENS },
} as const

type PricedPart = keyof typeof PARTS

/** In dollars: per million tokens, or per call. */
type Loss = { readonly part: PricedPart; readonly price: number; readonly cost: number }

/** The first part that costs the operator more than the customer pays; null if none does. */
export function lossOf(sale: Sale, provider: ProviderPrice): Loss | null {
  const isPerCall = sale.price.per_call === true || provider.rates.call > 0
  const parts = isPerCall ? (['call'] as const) : (['input', 'cached', 'output'] as const)
  for (const part of parts) {
    const price = saleInNanoDollars(sale, part)
    const cost = providerCostOf(PARTS[part], provider)
    // Costs are rounded up to a nano-dollar.
    if (cost <= price + 1) continue
    const toDollars = isPerCall ? NANO_DOLLARS : (TOKENS * NANO_DOLLARS) / 1e6
    return { part, price: rounded(price / toDollars), cost: rounded(cost / toDollars) }
  }
  return null
}

const rounded = (dollars: number) => Math.round(dollars * NANO_DOLLARS) / NANO_DOLLARS

const saleInNanoDollars = ({ price, groupRatio, quotaPerUnit }: Sale, part: PricedPart): number =>
  (Number(exactCostAt(PARTS[part], price, groupRatio)) / Number(COST_SCALE) / quotaPerUnit) *
  NANO_DOLLARS

/** Three times as much input as output, as most requests have at least. */
const TYPICAL = { ...NONE, promptTokens: 3 * TOKENS, completionTokens: TOKENS }

/** Orders channels by what they cost; channels of unknown cost come last. */
export const costRankOf = (provider: ProviderPrice | null): number =>
  provider === null ? Infinity : providerCostOf(TYPICAL, provider)
