import type { ChargeBasis, KindPart } from '@tollgate/contract'

export type LineItem = {
  kind: 'prompt' | 'cached' | 'written' | 'completion' | KindPart['kind']
  tokens: number
  ratio: number
  weighted: number
}

/** Line items of a charge: tokens by kind with their ratio. Kinds without tokens are left out. */
export function lineItemsOf(basis: ChargeBasis): LineItem[] {
  const { prompt_tokens, cached_tokens, cache_write_tokens, kinds = [] } = basis
  const nonTextPrompt = tokensOf(kinds, 'audio_prompt') + tokensOf(kinds, 'image_prompt')
  const long = tokensOf(kinds, 'long_cache_write')
  const completion = basis.completion_tokens - failoverOf(basis).tokens
  const uncached = Math.max(0, prompt_tokens - cached_tokens - cache_write_tokens - nonTextPrompt)
  const written = Math.max(0, cache_write_tokens - long)
  const textCompletion = Math.max(0, completion - tokensOf(kinds, 'audio_completion'))
  const lineItems = [
    { kind: 'prompt' as const, tokens: uncached, ratio: 1 },
    { kind: 'cached' as const, tokens: cached_tokens, ratio: basis.cache_ratio },
    { kind: 'written' as const, tokens: written, ratio: basis.cache_write_ratio },
    { kind: 'completion' as const, tokens: textCompletion, ratio: basis.completion_ratio },
    ...kinds,
  ]
  return lineItems
    .filter(({ tokens }) => tokens > 0)
    .map((item) => ({ ...item, weighted: item.tokens * item.ratio }))
}

const tokensOf = (parts: readonly KindPart[], wanted: KindPart['kind']) =>
  parts.reduce((sum, { kind, tokens }) => (kind === wanted ? sum + tokens : sum), 0)

export const sumOf = (lineItems: readonly LineItem[]) =>
  lineItems.reduce((sum, { weighted }) => sum + weighted, 0)

const ROUNDING_MIN = 1e-6
/** Floating-point precision relative to large sums. */
const ROUNDING_SHARE_MIN = 1e-12

/**
 * Sum times both ratios. `isRounded` is true when the charge, a whole number, differs from the
 * exact cost.
 */
export function productOf(basis: ChargeBasis): { exact: number; isRounded: boolean } {
  const exact = sumOf(lineItemsOf(basis)) * basis.model_ratio * basis.group_ratio
  const tools = toolParts(basis).reduce((sum, part) => sum + part.exact, 0)
  const total = exact + failoverOf(basis).exact + tools
  const tolerance = Math.max(ROUNDING_MIN, total * ROUNDING_SHARE_MIN)
  return { exact, isRounded: Math.abs(basis.cost - total) >= tolerance }
}

/** Tokens delivered by failover attempts at their own prices, with the cost of each part. */
export const failoverParts = ({ rescued = [], group_ratio }: ChargeBasis) =>
  rescued.map((part) => ({
    ...part,
    exact: part.completion_tokens * part.completion_ratio * part.model_ratio * group_ratio,
  }))

/** Calls of the provider's own tools, with the cost of each part. */
export const toolParts = ({ tools = [], group_ratio }: ChargeBasis) =>
  tools.map((part) => ({ ...part, exact: part.calls * part.units * group_ratio }))

function failoverOf(basis: ChargeBasis): { tokens: number; exact: number } {
  const parts = failoverParts(basis)
  return {
    tokens: parts.reduce((sum, part) => sum + part.completion_tokens, 0),
    exact: parts.reduce((sum, part) => sum + part.exact, 0),
  }
}
