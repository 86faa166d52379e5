import {
  type CostSource,
  NANO_DOLLARS,
  PROVIDER_COST_MAX,
  type Served,
  type TokenUsage,
  type ToolCalls,
} from '@tollgate/contract'
import type { ChannelCost, ModelCost } from '@tollgate/contract/channel-settings'
import type { PriceList } from '@tollgate/contract/prices'
import { COST_SCALE } from './exact-arithmetic.ts'
import { findPrice, type PriceOptions } from './find-price.ts'
import { factorsOf } from './price-factors.ts'
import { type Asked, EACH_ANSWER, exactCostAt, type Price } from './price.ts'

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
  /** Tiers, regions and tools of the list. They apply to own prices too. */
  readonly features: Features
}

type Features = Pick<Price, 'tiers' | 'regions' | 'tools'>

/** How an answer was served, and what decides its cost besides. */
export type ServedAt = {
  readonly served: Served | undefined
  /** The region in the channel's address. */
  readonly region: string | undefined
  readonly asked: Asked | undefined
}

/** The list alone, without the prices of the operator, which are those of the customers. */
export const NO_OWN_PRICES: Omit<PriceOptions, 'prices'> = {
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
  const name = names.find((candidate) => prices.has(candidate)) ?? ''
  const price = findPrice({ requested: name, mapped: name, options: { ...NO_OWN_PRICES, prices } })
  if (row !== undefined) {
    return { source: 'table', rates: ownRates(row), listed: null, features: price ?? {} }
  }
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
  return { source, rates, listed: { price, factor }, features: price }
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
export function providerCostOf(usage: TokenUsage, provider: ProviderPrice, at?: ServedAt): number {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, kinds } = usage
  const { rates, listed, features } = provider
  const billed = at === undefined ? undefined : billedFeatures(features, at, usage)
  if (listed !== null) {
    const [tier] = listed.price.long_prompts ?? []
    const isLong = tier !== undefined && promptTokens > tier.above
    if (kinds !== undefined || isLong || billed !== undefined) {
      return listedCost(usage, listed, billed)
    }
  }
  const { input, output, cached } = multiplesOf(features, billed)
  const isNothing = promptTokens + completionTokens === 0
  const cost =
    Math.max(0, promptTokens - cachedTokens - cacheWriteTokens) * rates.input * input +
    cachedTokens * rates.cached * cached +
    cacheWriteTokens * rates.cacheWrite * input +
    completionTokens * rates.output * output +
    (isNothing ? 0 : rates.call) +
    toolCost(features, billed)
  return addCost(0, Math.max(0, Math.ceil(cost - TOLERANCE)))
}

type Billed = Pick<Price, 'region'> & {
  readonly served: Served | undefined
  readonly asked: Asked & { readonly toolCalls: readonly ToolCalls[] }
}

/**
 * What a provider bills in addition to tokens; undefined for nothing. It bills a tier and a tool
 * that the request did not ask for, because its own settings may choose them.
 */
function billedFeatures(
  { tiers, regions, tools }: Features,
  { served, region, asked }: ServedAt,
  usage: TokenUsage,
): Billed | undefined {
  if (tiers === undefined && regions === undefined && tools === undefined) return undefined
  const isNothing = usage.promptTokens + usage.completionTokens === 0
  const searches = isNothing || tools === undefined ? NO_CALLS : searchesOf(tools, asked)
  if (served === undefined && region === undefined && searches.length === 0) return undefined
  const { tier, toolCalls = NO_CALLS } = served ?? {}
  return {
    served,
    asked: { ...(tier === undefined ? {} : { tier }), toolCalls: [...toolCalls, ...searches] },
    ...(region === undefined ? {} : { region }),
  }
}

const NO_CALLS: readonly ToolCalls[] = []
const SEARCH_ANSWER = 'search_answer'

/** A model that always searches does so at the size that was asked for, else at its usual size. */
function searchesOf(tools: NonNullable<Features['tools']>, asked: Asked | undefined) {
  if (!Object.hasOwn(tools, SEARCH_ANSWER)) return NO_CALLS
  const sized = asked?.toolCalls?.filter(({ tool }) => EACH_ANSWER.test(tool)) ?? NO_CALLS
  return sized.length > 0 ? sized : [{ tool: SEARCH_ANSWER, calls: 1 }]
}

function multiplesOf(features: Features, billed: Billed | undefined) {
  const factors = billed === undefined ? [] : factorsOf({ ...features, ...billed }, billed.served)
  const multiples = { input: 1, output: 1, cached: 1 }
  for (const { input, output, cached = input } of factors) {
    multiples.input *= input
    multiples.output *= output
    multiples.cached *= cached
  }
  return multiples
}

/** `tools` are in units of `NO_OWN_PRICES`. */
function toolCost({ tools = {} }: Features, billed: Billed | undefined): number {
  let units = 0
  for (const { tool, calls } of billed?.asked.toolCalls ?? NO_CALLS) {
    if (Object.hasOwn(tools, tool)) units += calls * (tools[tool] ?? 0)
  }
  return units * NANO_DOLLARS_PER_UNIT
}

function listedCost(
  usage: TokenUsage,
  { price, factor }: NonNullable<ProviderPrice['listed']>,
  billed: Billed | undefined,
) {
  const { served, ...asked } = billed ?? {}
  const units = exactCostAt(usage, { ...price, ...asked }, factor, served)
  const exact = units * BigInt(NANO_DOLLARS_PER_UNIT)
  return addCost(0, Number((exact + COST_SCALE - 1n) / COST_SCALE))
}

/** A sum of costs, at most `PROVIDER_COST_MAX`. */
export const addCost = (sum: number, cost: number): number =>
  Math.min(PROVIDER_COST_MAX, sum + cost)
