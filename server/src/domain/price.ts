import {
  type ChargeBasis,
  type KindPart,
  QUOTA_MAX,
  type Quota,
  type FailoverPart,
  type Served,
  type ToolCalls,
  type ToolPart,
  type TokenUsage,
} from '@tollgate/contract'
import {
  checkedTokens,
  COST_SCALE,
  roundedUp,
  roundedUpProduct,
  SCALE,
  scaled,
  scaledAmount,
  scaledNumber,
  toBigInt,
} from './exact-arithmetic.ts'
import { chargedPrice, dearestPrice } from './price-factors.ts'
import type { Price, Ratio } from './price-type.ts'
import { exactCost, NO_KINDS, partsOfKinds, roundedUpCost } from './token-cost.ts'

export type { Asked, Price } from './price-type.ts'

export const CALL_TOKENS = 1000

/** In quota units, rounded up once, at most QUOTA_MAX. */
export const costOf = (
  usage: TokenUsage,
  price: Ratio,
  groupRatio: number,
  served?: Served,
): Quota => roundedUp(exactCostAt(usage, price, groupRatio, served))

/** In quota units times `COST_SCALE`. */
export function exactCostAt(
  usage: TokenUsage,
  price: Ratio,
  groupRatio: number,
  served?: Served,
): bigint {
  const { price: charged } = chargedPrice(price, usage.promptTokens, served)
  const tokens = exactCost(chargedUsage(usage, price), charged, groupRatio)
  const tools = toolParts(price, toolCallsOf(price, served, usage))
  return tokens + exactToolCost(tools, groupRatio)
}

const NO_CALLS: readonly ToolCalls[] = []
/** Each answer of a model that always searches costs a search, by the size that was asked for. */
export const EACH_ANSWER = /^search_answer/

/** Calls of a tool that the request did not ask for are a mistake of the report. */
function toolCallsOf(
  { asked }: Ratio,
  served: Served | undefined,
  usage: TokenUsage,
): readonly ToolCalls[] {
  const expected = asked?.toolCalls
  if (expected === undefined) return NO_CALLS
  const isExpected = ({ tool }: ToolCalls) => expected.some((calls) => calls.tool === tool)
  const reported = (served?.toolCalls ?? NO_CALLS).filter(isExpected)
  const isNothing = usage.promptTokens + usage.completionTokens === 0
  if (isNothing) return reported
  return [...reported, ...expected.filter(({ tool }) => EACH_ANSWER.test(tool))]
}

const NO_TOOLS: readonly ToolPart[] = []

function toolParts({ tools }: Ratio, calls: Served['toolCalls']): readonly ToolPart[] {
  if (calls === undefined || calls.length === 0 || tools === undefined) return NO_TOOLS
  return calls.flatMap(({ tool, calls: count }) => {
    const units = Object.hasOwn(tools, tool) ? tools[tool] : undefined
    return units === undefined || count === 0 ? [] : [{ tool, calls: count, units }]
  })
}

function exactToolCost(parts: readonly ToolPart[], groupRatio: number): bigint {
  let sum = 0n
  for (const { calls, units } of parts) {
    sum += toBigInt(calls) * scaledAmount(units) * SCALE * scaled(groupRatio)
  }
  return sum
}

/** An answer without any tokens was no call. */
function chargedUsage(usage: TokenUsage, { per_call }: Ratio): TokenUsage {
  if (per_call === undefined) return usage
  const isNothing = usage.promptTokens + usage.completionTokens === 0
  return {
    promptTokens: isNothing ? 0 : CALL_TOKENS,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    completionTokens: usage.completionTokens,
    reasoningTokens: usage.reasoningTokens,
    measured: { unit: 'call', count: isNothing ? 0 : 1 },
  }
}

/** Limits of a request whose token kinds are not yet known. */
export type Bounds = {
  promptTokens: number
  choices: number
  price: Ratio
  groupRatio: number
}

/** Upper bound of the cost of an answer within these limits, for any kinds of tokens. */
export function worstCase(
  bounds: Bounds & {
    /** Per choice. */
    outputTokens: number
  },
): Quota {
  const output = checkedTokens(bounds.outputTokens * bounds.choices)
  const { price, promptTokens, groupRatio } = bounds
  if (price.asked?.toolCalls === undefined) {
    const dearest = dearestPrice(price, promptTokens)
    const { promptRatio, outputRatio } = highestCosts(dearest, groupRatio)
    const input = checkedTokens(inputTokens(bounds))
    const weighted = input * scaledNumber(promptRatio) + output * scaledNumber(outputRatio)
    const cost = roundedUpProduct(weighted, dearest.model_ratio, groupRatio)
    if (cost !== null) return cost
  }
  const { prompt, perToken, tools } = worstCaseCosts(bounds)
  return roundedUp(prompt + toBigInt(output) * perToken + tools)
}

const inputTokens = ({ price, promptTokens }: Bounds): number =>
  price.per_call === undefined ? promptTokens : CALL_TOKENS

/** Max output tokens per choice whose worst case costs at most `held`; Infinity if unlimited. */
export function affordableOutputTokens(held: Quota, bounds: Bounds): number {
  if (held >= QUOTA_MAX) return Infinity
  const { prompt, perToken, tools } = worstCaseCosts(bounds)
  const left = BigInt(held) * COST_SCALE - prompt - tools
  const each = perToken * toBigInt(bounds.choices)
  if (left < 0n) return 0
  return each === 0n ? Infinity : Number(left / each)
}

/** Exact costs of the whole prompt, of one output token, and of tools. */
function worstCaseCosts(bounds: Bounds) {
  const { promptTokens, price, groupRatio } = bounds
  const { prompt, output } = highestCosts(dearestPrice(price, promptTokens), groupRatio)
  return {
    prompt: toBigInt(inputTokens(bounds)) * prompt,
    perToken: output,
    tools: exactToolCost(toolParts(price, price.asked?.toolCalls), groupRatio),
  }
}

/** Highest ratios and exact costs of a token, for one ratio of a group. */
type TokenCosts = {
  readonly groupRatio: number
  readonly prompt: bigint
  readonly output: bigint
  readonly promptRatio: number
  readonly outputRatio: number
}

/** A cache, because prices are immutable and each request needs these costs several times. */
const costsOfPrices = new WeakMap<Ratio, TokenCosts>()

function highestCosts(price: Ratio, groupRatio: number): TokenCosts {
  const known = costsOfPrices.get(price)
  if (known?.groupRatio === groupRatio) return known
  const { cache_ratio, cache_write_ratio, completion_ratio, model_ratio, kind_ratios = {} } = price
  const { audio_prompt = 0, image_prompt = 0, audio_completion = 0 } = kind_ratios
  const { long_cache_write = 0 } = kind_ratios
  const ofPrompt = [cache_ratio, cache_write_ratio, audio_prompt, image_prompt, long_cache_write]
  const unit = scaled(model_ratio) * scaled(groupRatio)
  const promptRatio = Math.max(1, ...ofPrompt)
  const outputRatio = Math.max(completion_ratio, audio_completion)
  const prompt = scaled(promptRatio) * unit
  const output = scaled(outputRatio) * unit
  const costs = { groupRatio, prompt, output, promptRatio, outputRatio }
  costsOfPrices.set(price, costs)
  return costs
}

export type BasisInput = {
  usage: TokenUsage
  usageSource: ChargeBasis['usage_source']
  price: Price
  group: string
  groupRatio: number
  held: Quota
  /** Reported usage that was not charged. */
  overruled?: TokenUsage | undefined
  /** Parts of the same answer that later attempts delivered; not included in `usage`. */
  failoverParts?: readonly FailoverOutput[]
  served?: Served | undefined
}

export type FailoverOutput = {
  price: Price
  completionTokens: number
  served?: Served | undefined
}

const NO_PARTS: readonly FailoverPart[] = []

/** Everything the charge is computed from, and the charge. */
export function basisOf({
  usage: counted,
  usageSource,
  price,
  group,
  groupRatio,
  held,
  overruled,
  failoverParts = [],
  served,
}: BasisInput): ChargeBasis {
  const { price: charged, isLong, factors } = chargedPrice(price, counted.promptTokens, served)
  const parts =
    failoverParts.length === 0
      ? NO_PARTS
      : failoverParts
          .map((part) => failoverPart(part, counted.promptTokens))
          .filter((part) => !isSamePrice(part, charged))
  const usage = chargedUsage(counted, price)
  const kinds = partsOfKinds(usage, charged)
  const tools = toolParts(price, toolCallsOf(price, served, counted))
  let { completionTokens } = usage
  for (const part of failoverParts) completionTokens += part.completionTokens
  const basis: ChargeBasis = {
    price_model: price.price_model,
    price_version: versionAt(price, isLong),
    model_ratio: charged.model_ratio,
    completion_ratio: charged.completion_ratio,
    cache_ratio: charged.cache_ratio,
    cache_write_ratio: charged.cache_write_ratio,
    group,
    group_ratio: groupRatio,
    prompt_tokens: usage.promptTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    completion_tokens: completionTokens,
    reasoning_tokens: usage.reasoningTokens,
    usage_source: usageSource,
    held,
    cost: 0,
  }
  if (overruled !== undefined) basis.overruled = overruledPart(overruled)
  if (parts.length > 0) basis.rescued = [...parts]
  if (kinds.length > 0) basis.kinds = [...kinds]
  if (usage.measured !== undefined) basis.measured = usage.measured
  if (factors.length > 0) basis.factors = [...factors]
  if (tools.length > 0) basis.tools = [...tools]
  basis.cost = recomputeCost(basis)
  return basis
}

/** How a receipt shows reported usage that was not charged. */
const overruledPart = (usage: TokenUsage): NonNullable<ChargeBasis['overruled']> => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  reasoning_tokens: usage.reasoningTokens,
})

const isSamePrice = (
  a: Pick<Price, 'price_model' | 'model_ratio' | 'completion_ratio'>,
  b: Pick<Price, 'price_model' | 'model_ratio' | 'completion_ratio'>,
): boolean =>
  a.price_model === b.price_model &&
  a.model_ratio === b.model_ratio &&
  a.completion_ratio === b.completion_ratio

function failoverPart(
  { price, completionTokens: completion_tokens, served }: FailoverOutput,
  promptTokens: number,
): FailoverPart {
  const { price: charged, isLong } = chargedPrice(price, promptTokens, served)
  const { price_model, model_ratio, completion_ratio } = charged
  const price_version = versionAt(price, isLong)
  return { price_model, price_version, model_ratio, completion_ratio, completion_tokens }
}

const versionAt = ({ price_version }: Price, isLong: boolean) =>
  isLong ? `${price_version}+long` : price_version

/** Recomputes the cost from a stored basis. */
export const recomputeCost = (basis: ChargeBasis): Quota =>
  costAt(basis, basis, basis.kinds ?? NO_KINDS)

/** What the same answer costs if no input is read from a cache or written to it. */
export function costWithoutCache(basis: ChargeBasis): Quota {
  const { kinds = NO_KINDS } = basis
  const withoutCache =
    kinds.length === 0 ? kinds : kinds.filter(({ kind }) => kind !== 'long_cache_write')
  return costAt(basis, NO_CACHE, withoutCache)
}

const NO_CACHE = { cached_tokens: 0, cache_write_tokens: 0 }

function costAt(
  basis: ChargeBasis,
  cache: Pick<ChargeBasis, 'cached_tokens' | 'cache_write_tokens'>,
  kinds: readonly KindPart[],
): Quota {
  const { rescued = NO_PARTS, tools = NO_TOOLS, group_ratio } = basis
  let completionTokens = basis.completion_tokens
  for (const part of rescued) completionTokens -= part.completion_tokens
  const usage = {
    promptTokens: basis.prompt_tokens,
    cachedTokens: cache.cached_tokens,
    cacheWriteTokens: cache.cache_write_tokens,
    completionTokens,
    reasoningTokens: basis.reasoning_tokens,
  }
  if (rescued.length === 0 && tools.length === 0) {
    const cost = roundedUpCost({ usage, price: basis, kinds }, group_ratio)
    if (cost !== null) return cost
  }
  let exact = exactToolCost(tools, group_ratio) + exactCost(usage, basis, group_ratio, kinds)
  for (const part of rescued) {
    const added = { ...NO_PROMPT, completionTokens: part.completion_tokens }
    exact += exactCost(added, { ...part, cache_ratio: 0, cache_write_ratio: 0 }, group_ratio)
  }
  return roundedUp(exact)
}

const NO_PROMPT = { promptTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Whether every number of tokens costs 0 at these ratios. */
export const isFree = (ratio: number, groupRatio: number) =>
  scaled(ratio) * scaled(groupRatio) === 0n
