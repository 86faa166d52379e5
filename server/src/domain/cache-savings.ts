import type { ChargeBasis } from '@tollgate/contract'
import { costWithoutCache } from './price.ts'

/**
 * How much less was charged than if all input had the price of ordinary input. Negative if writing
 * to the cache cost more than reading from it saved. The cost in the basis is what was charged.
 */
export function cacheSavings(basis: ChargeBasis): number {
  if (basis.cached_tokens + basis.cache_write_tokens === 0) return 0
  return costWithoutCache(basis) - basis.cost
}
