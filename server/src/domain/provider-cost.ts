import {
  type CostSource,
  NANO_DOLLARS,
  PROVIDER_COST_MAX,
  type TokenUsage,
} from '@tollgate/contract'
import type { ChannelCost, ModelCost } from '@tollgate/contract/channel-settings'
import type { PriceList } from '@tollgate/contract/prices'
import { COST_SCALE } from './exact-arithmetic.ts'
import { findPrice, type PriceOptions } from './find-price.ts'
import { exactCostAt, type Price } from './price.ts'

/** In nano-dollars, by token and by answered call. */
type Rates = {
  readonly input: number
  readonly cached: number
  readonly cacheWrite: number
  readonly output: number
  readonly call: number
}

/** What the provider of a channel charges for a model. */
export type ProviderPrice = {
  readonly source: CostSource
  readonly rates: Rates
  /** The list price, for tokens that are no text and for long prompts; null for own prices. */
  readonly listed: { readonly price: Price; readonly factor: number } | null
}

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
  if (row !== undefined) return { source: 'table', rates: ownRates(row), listed: null }
  const name = names.find((candidate) => prices.has(candidate))
  if (name === undefined) return null
  const price = findPrice({ requested: name, mapped: name, options: { ...NO_OWN_PRICES, prices } })
  if (price === null) return null
  if (group_ratio !== undefined) return listPrice('group', price, group_ratio)
  return factor === undefined || factor === 1
    ? listPrice('list', price, 1)
    : listPrice('factor', price, factor)
}

/** A model ratio of 1 is $2 per million tokens. */
const NANO_DOLLARS_PER_UNIT = 2000

function listPrice(source: CostSource, price: Price, factor: number): ProviderPrice {
  const input = price.model_ratio * NANO_DOLLARS_PER_UNIT * factor
  const rates = {
    input,
    cached: input * price.cache_ratio,
    cacheWrite: input * price.cache_write_ratio,
    output: input * price.completion_ratio,
    call: 0,
  }
  return { source, rates, listed: { price, factor } }
}

/** A dollar per million tokens is a thousand nano-dollars per token. */
const NANO_DOLLARS_PER_PRICE = 1000

function ownRates({ input, output, cached = input, cache_write = input, call }: ModelCost): Rates {
  return {
    input: input * NANO_DOLLARS_PER_PRICE,
    cached: cached * NANO_DOLLARS_PER_PRICE,
    cacheWrite: cache_write * NANO_DOLLARS_PER_PRICE,
    output: output * NANO_DOLLARS_PER_PRICE,
    call: call * NANO_DOLLARS,
  }
}

/** Above the errors of floating point, which no cost of a request makes a nano-dollar of. */
const TOLERANCE = 1e-6

/**
 * In nano-dollars, rounded up once, at most `PROVIDER_COST_MAX`. Floating point is exact enough,
 * because no balance depends on a cost, and each request computes one.
 */
export function providerCostOf(usage: TokenUsage, { rates, listed }: ProviderPrice): number {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, kinds } = usage
  if (listed !== null) {
    const [tier] = listed.price.long_prompts ?? []
    const isLong = tier !== undefined && promptTokens > tier.above
    if (kinds !== undefined || isLong) return listedCost(usage, listed)
  }
  const isNothing = promptTokens + completionTokens === 0
  const cost =
    Math.max(0, promptTokens - cachedTokens - cacheWriteTokens) * rates.input +
    cachedTokens * rates.cached +
    cacheWriteTokens * rates.cacheWrite +
    completionTokens * rates.output +
    (isNothing ? 0 : rates.call)
  return addCost(0, Math.max(0, Math.ceil(cost - TOLERANCE)))
}

function listedCost(usage: TokenUsage, { price, factor }: NonNullable<ProviderPrice['listed']>) {
  const exact = exactCostAt(usage, price, factor) * BigInt(NANO_DOLLARS_PER_UNIT)
  return addCost(0, Number((exact + COST_SCALE - 1n) / COST_SCALE))
}

/** A sum of costs, at most `PROVIDER_COST_MAX`. */
export const addCost = (sum: number, cost: number): number =>
  Math.min(PROVIDER_COST_MAX, sum + cost)
