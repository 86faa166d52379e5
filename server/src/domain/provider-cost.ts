import {
  type CostSource,
  NANO_DOLLARS,
  PROVIDER_COST_MAX,
  type TokenUsage,
} from '@tollgate/contract'
import type { ChannelCost, ModelCost } from '@tollgate/contract/channel-settings'
import type { PriceList } from '@tollgate/contract/prices'
import { COST_SCALE, difference, SCALE, scaled, toBigInt } from './exact-arithmetic.ts'
import { findPrice, type PriceOptions } from './find-price.ts'
import { exactCostAt, type Price } from './price.ts'

/** What the provider of a channel charges for a model. */
export type ProviderPrice = { readonly source: CostSource } & (
  | { readonly type: 'list'; readonly price: Price; readonly factor: number }
  | { readonly type: 'table'; readonly row: ModelCost }
)

/** The list alone, without the prices of the operator, which are those of the customers. */
const NO_OWN_PRICES: Omit<PriceOptions, 'prices'> = {
  ModelRatio: {},
  CompletionRatio: {},
  CacheRatio: {},
  CacheWriteRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
  ImageRatio: {},
  ModelPrice: {},
  DefaultModelRatio: null,
  QuotaPerUnit: 500_000,
}

/**
 * `names` are the names of the model, the provider's own first; any of them may identify it. Null
 * if the channel has no price for it.
 */
export function providerPriceOf(
  names: readonly string[],
  { factor, group_ratio, models = {} }: ChannelCost,
  prices: PriceList,
): ProviderPrice | null {
  const own = names.find((name) => Object.hasOwn(models, name))
  const row = own === undefined ? undefined : models[own]
  if (row !== undefined) return { type: 'table', source: 'table', row }
  const listed = names.find((name) => prices.has(name))
  if (listed === undefined) return null
  const options = { ...NO_OWN_PRICES, prices }
  const price = findPrice({ requested: listed, mapped: listed, options })
  if (price === null) return null
  if (group_ratio !== undefined)
    return { type: 'list', source: 'group', price, factor: group_ratio }
  return factor === undefined || factor === 1
    ? { type: 'list', source: 'list', price, factor: 1 }
    : { type: 'list', source: 'factor', price, factor }
}

/** A model ratio of 1 is $2 per million tokens. */
const NANO_DOLLARS_PER_UNIT = 2000n
/** Dollars per million tokens are thousandths of nano-dollars per token. */
const MILLI_PER_NANO = 1000n

/** In nano-dollars, rounded up once, at most `PROVIDER_COST_MAX`. */
export function providerCostOf(usage: TokenUsage, provider: ProviderPrice): number {
  if (provider.type === 'table') return tableCost(usage, provider.row)
  const { price, factor } = provider
  return rounded(exactCostAt(usage, price, factor) * NANO_DOLLARS_PER_UNIT, COST_SCALE)
}

function tableCost(usage: TokenUsage, row: ModelCost): number {
  const { input, output, cached = input, cache_write = input, call } = row
  const cachedTokens = toBigInt(usage.cachedTokens)
  const written = toBigInt(usage.cacheWriteTokens)
  const tokens =
    difference(toBigInt(usage.promptTokens), cachedTokens + written) * scaled(input) +
    cachedTokens * scaled(cached) +
    written * scaled(cache_write) +
    toBigInt(usage.completionTokens) * scaled(output)
  const isNothing = usage.promptTokens + usage.completionTokens === 0
  const perCall = isNothing ? 0n : scaled(call) * BigInt(NANO_DOLLARS)
  return rounded(tokens * MILLI_PER_NANO + perCall, BigInt(SCALE))
}

function rounded(exact: bigint, scale: bigint): number {
  const cost = (exact + scale - 1n) / scale
  return cost > BigInt(PROVIDER_COST_MAX) ? PROVIDER_COST_MAX : Number(cost)
}

/** A sum of costs, at most `PROVIDER_COST_MAX`. */
export const addCost = (sum: number, cost: number): number =>
  Math.min(PROVIDER_COST_MAX, sum + cost)
