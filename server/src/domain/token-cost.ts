import type { KindPart, Quota, TokenKind, TokenUsage } from '@tollgate/contract'
import {
  checkedTokens,
  difference,
  roundedUpProduct,
  scaled,
  scaledNumber,
  weigh,
} from './exact-arithmetic.ts'
import type { Ratio } from './price-type.ts'

type TokenRatios = Pick<
  Ratio,
  'model_ratio' | 'completion_ratio' | 'cache_ratio' | 'cache_write_ratio' | 'kind_ratios'
>

export const NO_KINDS: readonly KindPart[] = []

export function partsOfKinds(
  { kinds }: TokenUsage,
  { kind_ratios }: TokenRatios,
): readonly KindPart[] {
  if (kinds === undefined || kind_ratios === undefined) return NO_KINDS
  return kinds.flatMap(({ kind, tokens }) => {
    const ratio = kind_ratios[kind]
    return ratio === undefined ? [] : [{ kind, tokens, ratio }]
  })
}

/** In quota times `COST_SCALE`. Throws a `RangeError` for an invalid number of tokens or ratio. */
export function exactCost(
  usage: TokenUsage,
  price: TokenRatios,
  groupRatio: number,
  kinds: readonly KindPart[] = partsOfKinds(usage, price),
): bigint {
  const weighted = weighedSum({ usage, price, kinds }, 0n, addExactly)
  return weighted * (scaled(price.model_ratio) * scaled(groupRatio))
}

/** The same in quota, rounded up, without a BigInt; null if only `exactCost` decides. */
export const roundedUpCost = (weighing: Weighing, groupRatio: number): Quota | null =>
  roundedUpProduct(
    weighedSum(weighing, 0, addApproximately),
    weighing.price.model_ratio,
    groupRatio,
  )

type Weighing = {
  readonly usage: TokenUsage
  readonly price: TokenRatios
  readonly kinds: readonly KindPart[]
}

const addExactly = (sum: bigint, tokens: number, ratio: number): bigint =>
  sum + weigh(tokens, ratio)

const addApproximately = (sum: number, tokens: number, ratio: number): number =>
  sum + checkedTokens(tokens) * scaledNumber(ratio)

/** All tokens, each times its ratio to the model ratio. */
function weighedSum<Sum>(
  { usage, price, kinds }: Weighing,
  nothing: Sum,
  add: (sum: Sum, tokens: number, ratio: number) => Sum,
): Sum {
  const cached = checkedTokens(usage.cachedTokens)
  const written = checkedTokens(usage.cacheWriteTokens)
  const prompt = checkedTokens(usage.promptTokens)
  const completion = checkedTokens(usage.completionTokens)
  const nonTextPrompt = tokensOf(kinds, 'audio_prompt') + tokensOf(kinds, 'image_prompt')
  const audioCompletion = tokensOf(kinds, 'audio_completion')
  const long = tokensOf(kinds, 'long_cache_write')
  let sum = add(nothing, difference(prompt, cached + written + nonTextPrompt), 1)
  sum = add(sum, cached, price.cache_ratio)
  sum = add(sum, difference(written, long), price.cache_write_ratio)
  sum = add(sum, difference(completion, audioCompletion), price.completion_ratio)
  for (const { tokens, ratio } of kinds) sum = add(sum, tokens, ratio)
  return sum
}

function tokensOf(parts: readonly KindPart[], wanted: TokenKind): number {
  let sum = 0
  for (const { kind, tokens } of parts) if (kind === wanted) sum += checkedTokens(tokens)
  return sum
}
