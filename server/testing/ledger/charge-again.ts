import { type ChargeBasis, QUOTA_MAX } from '@tollgate/contract'

/** Ratios have at most nine decimals. */
const DIGITS = 9
const nano = (ratio: number) => BigInt(Math.round(ratio * 10 ** DIGITS))

type Term = [tokens: number, ratio: number, modelRatio: number]

/** For each token kind with its own ratio, the plain kind that includes its tokens. */
const WITHIN = {
  audio_prompt: 'fresh',
  image_prompt: 'fresh',
  audio_completion: 'completion',
  long_cache_write: 'written',
} as const

/**
 * Recomputes a charge from its receipt alone, in exact integers and independently of the ledger.
 */
export function chargeAgain(basis: ChargeBasis): number {
  const { rescued = [], kinds = [], group_ratio, model_ratio } = basis
  const plain = {
    fresh: basis.prompt_tokens - basis.cached_tokens - basis.cache_write_tokens,
    written: basis.cache_write_tokens,
    completion: basis.completion_tokens,
  }
  for (const { kind, tokens } of kinds) plain[WITHIN[kind]] -= tokens
  for (const { completion_tokens } of rescued) plain.completion -= completion_tokens
  const terms: Term[] = [
    [plain.fresh, 1, model_ratio],
    [basis.cached_tokens, basis.cache_ratio, model_ratio],
    [plain.written, basis.cache_write_ratio, model_ratio],
    [plain.completion, basis.completion_ratio, model_ratio],
    ...kinds.map(({ tokens, ratio }): Term => [tokens, ratio, model_ratio]),
    ...rescued.map((part): Term => [
      part.completion_tokens,
      part.completion_ratio,
      part.model_ratio,
    ]),
  ]
  const tools = (basis.tools ?? []).reduce(
    (sum, { calls, units }) =>
      sum + BigInt(calls) * nano(units) * BigInt(10 ** DIGITS) * nano(group_ratio),
    0n,
  )
  const exact = terms.reduce(
    (sum, [tokens, ratio, modelRatio]) =>
      sum + BigInt(Math.max(0, tokens)) * nano(ratio) * nano(modelRatio) * nano(group_ratio),
    tools,
  )
  const unit = 10n ** BigInt(3 * DIGITS)
  return Math.min(QUOTA_MAX, Number((exact + unit - 1n) / unit))
}
