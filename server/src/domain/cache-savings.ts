import type { ChargeBasis } from '@tollgate/contract'
import { recomputeCost } from './price.ts'

/**
 * How much less was charged than if all input had the price of ordinary input. Negative if writing
 * to the cache cost more than reading from it saved. The cost in the basis is what was charged.
 */
export function cacheSavings(basis: ChargeBasis): number {
  if (basis.cached_tokens + basis.cache_write_tokens === 0) return 0
  const kinds = (basis.kinds ?? []).filter(({ kind }) => kind !== 'long_cache_write')
  const uncached = { ...basis, cached_tokens: 0, cache_write_tokens: 0, kinds }
  return recomputeCost(uncached) - basis.cost
}
