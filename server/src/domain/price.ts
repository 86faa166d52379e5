import {
  type ChargeBasis,
  type KindPart,
  QUOTA_MAX,
  type Quota,
  type FailoverPart,
  type TokenKind,
  type TokenUsage,
} from '@tollgate/contract'
import type { LongPrompt } from '@tollgate/contract/prices'
import { COST_SCALE, difference, roundedUp, SCALE, scaled, toBigInt } from './exact-arithmetic.ts'

export type Price = Pick<
  ChargeBasis,
  | 'price_model'
  | 'price_version'
  | 'model_ratio'
  | 'completion_ratio'
  | 'cache_ratio'
  | 'cache_write_ratio'
> & {
  /** For token kinds that are priced differently from text; factors of the model ratio. */
  readonly kind_ratios?: KindRatios
  /** From the price list only. An operator's own ratios apply to prompts of any length. */
  readonly long_prompts?: readonly LongPrompt[]
  /** Each request costs as much as `CALL_TOKENS` tokens of input, whatever its own tokens. */
  readonly per_call?: true
}

export const CALL_TOKENS = 1000

export type KindRatios = Readonly<Partial<Record<TokenKind, number>>>

/** The price of a request with this many prompt tokens. */
function atPromptLength<Given extends Ratio>(price: Given, promptTokens: number): Given {
  const { long_prompts, kind_ratios, model_ratio, completion_ratio, cache_ratio } = price
  const tier = long_prompts?.findLast(({ above }) => promptTokens > above)
  if (tier === undefined) return price
  const { input, output, cached } = tier
  const audioCompletion = kind_ratios?.audio_completion
  return {
    ...price,
    model_ratio: model_ratio * input,
    completion_ratio: (completion_ratio * output) / input,
    cache_ratio: cached === undefined ? cache_ratio : (cache_ratio * cached) / input,
    ...(audioCompletion === undefined
      ? {}
      : { kind_ratios: { ...kind_ratios, audio_completion: (audioCompletion * output) / input } }),
  }
}

type Ratio = Pick<
  Price,
  | 'model_ratio'
  | 'completion_ratio'
  | 'cache_ratio'
  | 'cache_write_ratio'
  | 'kind_ratios'
  | 'long_prompts'
  | 'per_call'
>

/** In quota units, rounded up once, at most QUOTA_MAX. */
export const costOf = (usage: TokenUsage, price: Ratio, groupRatio: number): Quota =>
  roundedUp(exactCostAt(usage, price, groupRatio))

/** In quota units times `COST_SCALE`. */
export const exactCostAt = (usage: TokenUsage, price: Ratio, groupRatio: number): bigint =>
  exactCost(chargedUsage(usage, price), atPromptLength(price, usage.promptTokens), groupRatio)

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

const NO_KINDS: readonly KindPart[] = []

function partsOfKinds({ kinds }: TokenUsage, { kind_ratios }: Ratio): readonly KindPart[] {
  if (kinds === undefined || kind_ratios === undefined) return NO_KINDS
  return kinds.flatMap(({ kind, tokens }) => {
    const ratio = kind_ratios[kind]
    return ratio === undefined ? [] : [{ kind, tokens, ratio }]
  })
}

function exactCost(
  usage: TokenUsage,
  price: Ratio,
  groupRatio: number,
  kinds: readonly KindPart[] = partsOfKinds(usage, price),
): bigint {
  const cached = toBigInt(usage.cachedTokens)
  const written = toBigInt(usage.cacheWriteTokens)
  const nonTextPrompt = tokensOf(kinds, 'audio_prompt') + tokensOf(kinds, 'image_prompt')
  const audioCompletion = tokensOf(kinds, 'audio_completion')
  const long = tokensOf(kinds, 'long_cache_write')
  const weighted =
    difference(toBigInt(usage.promptTokens), cached + written + nonTextPrompt) * BigInt(SCALE) +
    cached * scaled(price.cache_ratio) +
    difference(written, long) * scaled(price.cache_write_ratio) +
    difference(toBigInt(usage.completionTokens), audioCompletion) * scaled(price.completion_ratio) +
    kinds.reduce((sum, { tokens, ratio }) => sum + toBigInt(tokens) * scaled(ratio), 0n)
  return weighted * scaled(price.model_ratio) * scaled(groupRatio)
}

/** Returns early because most usages have no kinds, and each request computes many charges. */
function tokensOf(parts: readonly KindPart[], wanted: TokenKind): bigint {
  if (parts.length === 0) return 0n
  return parts.reduce(
    (sum, { kind, tokens }) => (kind === wanted ? sum + toBigInt(tokens) : sum),
    0n,
  )
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
  const { outputTokens, choices } = bounds
  const { prompt, perToken, unit } = worstCasePrices(bounds)
  return roundedUp((prompt + toBigInt(outputTokens * choices) * perToken) * unit)
}

/** Max output tokens per choice whose worst case costs at most `held`; Infinity if unlimited. */
export function affordableOutputTokens(held: Quota, bounds: Bounds): number {
  if (held >= QUOTA_MAX) return Infinity
  const { prompt, perToken, unit } = worstCasePrices(bounds)
  const left = BigInt(held) * COST_SCALE - prompt * unit
  const each = perToken * unit * toBigInt(bounds.choices)
  if (left < 0n) return 0
  return each === 0n ? Infinity : Number(left / each)
}

/** Weights of the whole prompt and of one output token, and the cost per unit of weight. */
function worstCasePrices({ promptTokens, price, groupRatio }: Bounds) {
  const { prompt, output, unit } = worstCaseWeights(atPromptLength(price, promptTokens))
  return {
    prompt: toBigInt(price.per_call === undefined ? promptTokens : CALL_TOKENS) * prompt,
    perToken: output,
    unit: unit * scaled(groupRatio),
  }
}

/** Highest weights per token, and the cost per unit of weight. */
type Weights = { prompt: bigint; output: bigint; unit: bigint }

/** A cache, because prices are immutable and each request needs these weights several times. */
const weightsOfPrices = new WeakMap<Ratio, Weights>()

function worstCaseWeights(price: Ratio): Weights {
  const known = weightsOfPrices.get(price)
  if (known !== undefined) return known
  const { cache_ratio, cache_write_ratio, completion_ratio, model_ratio, kind_ratios = {} } = price
  const { audio_prompt = 0, image_prompt = 0, audio_completion = 0 } = kind_ratios
  const { long_cache_write = 0 } = kind_ratios
  const ofPrompt = [cache_ratio, cache_write_ratio, audio_prompt, image_prompt, long_cache_write]
  const weights = {
    prompt: scaled(Math.max(1, ...ofPrompt)),
    output: scaled(Math.max(completion_ratio, audio_completion)),
    unit: scaled(model_ratio),
  }
  weightsOfPrices.set(price, weights)
  return weights
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
  failoverParts?: readonly { price: Price; completionTokens: number }[]
}

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
}: BasisInput): ChargeBasis {
  const parts = failoverParts
    .filter((part) => !isSamePrice(part.price, price))
    .map((part) => failoverPart(part, counted.promptTokens))
  const usage = chargedUsage(counted, price)
  const charged = atPromptLength(price, counted.promptTokens)
  const kinds = partsOfKinds(usage, charged)
  const basis: ChargeBasis = {
    price_model: price.price_model,
    price_version: versionAt(price, charged),
    model_ratio: charged.model_ratio,
    completion_ratio: charged.completion_ratio,
    cache_ratio: charged.cache_ratio,
    cache_write_ratio: charged.cache_write_ratio,
    group,
    group_ratio: groupRatio,
    prompt_tokens: usage.promptTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    completion_tokens: failoverParts.reduce(
      (sum, { completionTokens }) => sum + completionTokens,
      usage.completionTokens,
    ),
    reasoning_tokens: usage.reasoningTokens,
    usage_source: usageSource,
    held,
    cost: 0,
  }
  if (overruled !== undefined) basis.overruled = overruledPart(overruled)
  if (parts.length > 0) basis.rescued = parts
  if (kinds.length > 0) basis.kinds = [...kinds]
  if (usage.measured !== undefined) basis.measured = usage.measured
  basis.cost = recomputeCost(basis)
  return basis
}

/** How a receipt shows reported usage that was not charged. */
const overruledPart = (usage: TokenUsage): NonNullable<ChargeBasis['overruled']> => ({
  prompt_tokens: usage.promptTokens,
  completion_tokens: usage.completionTokens,
  reasoning_tokens: usage.reasoningTokens,
})

const isSamePrice = (a: Price, b: Price): boolean =>
  a.price_model === b.price_model &&
  a.model_ratio === b.model_ratio &&
  a.completion_ratio === b.completion_ratio

function failoverPart(
  { price, completionTokens: completion_tokens }: { price: Price; completionTokens: number },
  promptTokens: number,
): FailoverPart {
  const charged = atPromptLength(price, promptTokens)
  const { price_model, model_ratio, completion_ratio } = charged
  const price_version = versionAt(price, charged)
  return { price_model, price_version, model_ratio, completion_ratio, completion_tokens }
}

const versionAt = (price: Price, charged: Price) =>
  charged === price ? price.price_version : `${price.price_version}+long`

/** Recomputes the cost from a stored basis. */
export function recomputeCost(basis: ChargeBasis): Quota {
  const { rescued = [], group_ratio } = basis
  const failoverTokens = rescued.reduce((sum, part) => sum + part.completion_tokens, 0)
  const mainUsage = {
    promptTokens: basis.prompt_tokens,
    cachedTokens: basis.cached_tokens,
    cacheWriteTokens: basis.cache_write_tokens,
    completionTokens: basis.completion_tokens - failoverTokens,
    reasoningTokens: basis.reasoning_tokens,
  }
  const parts = rescued.map((part) =>
    exactCost(
      { ...NO_PROMPT, completionTokens: part.completion_tokens },
      { ...part, cache_ratio: 0, cache_write_ratio: 0 },
      group_ratio,
    ),
  )
  const mainCost = exactCost(mainUsage, basis, group_ratio, basis.kinds ?? [])
  return roundedUp(parts.reduce((sum, part) => sum + part, mainCost))
}

const NO_PROMPT = { promptTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Whether every number of tokens costs 0 at these ratios. */
export const isFree = (ratio: number, groupRatio: number) =>
  scaled(ratio) * scaled(groupRatio) === 0n
