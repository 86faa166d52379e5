import type { ChargeBasis } from '@tollgate/contract'

export type Term = {
  kind: 'prompt' | 'cached' | 'written' | 'completion'
  tokens: number
  ratio: number
  weighted: number
}

/** The terms of a charge: tokens by kind, each with its ratio; kinds that did not occur are left out. */
export function termsOf(basis: ChargeBasis): Term[] {
  const { prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens } = basis
  const fresh = Math.max(0, prompt_tokens - cached_tokens - cache_write_tokens)
  const terms = [
    { kind: 'prompt' as const, tokens: fresh, ratio: 1 },
    { kind: 'cached' as const, tokens: cached_tokens, ratio: basis.cache_ratio },
    { kind: 'written' as const, tokens: cache_write_tokens, ratio: basis.cache_write_ratio },
    { kind: 'completion' as const, tokens: completion_tokens, ratio: basis.completion_ratio },
  ]
  return terms
    .filter(({ tokens }) => tokens > 0)
    .map((term) => ({ ...term, weighted: term.tokens * term.ratio }))
}

export const sumOf = (terms: readonly Term[]) =>
  terms.reduce((sum, { weighted }) => sum + weighted, 0)

const ROUNDING_MIN = 1e-6

/** The sum times both ratios; `isRounded` when the charge, which is whole, is more than that. */
export function productOf(basis: ChargeBasis): { exact: number; isRounded: boolean } {
  const exact = sumOf(termsOf(basis)) * basis.model_ratio * basis.group_ratio
  return { exact, isRounded: Math.abs(basis.cost - exact) >= ROUNDING_MIN }
}
