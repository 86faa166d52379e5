import type { Quota } from '@tollgate/contract'
import type { LeaseRequest } from '../batch.ts'

/**
 * An account with less than 20 times what is needed grants exactly that, which avoids fragmenting
 * small balances.
 */
const PLENTY_FACTOR = 20
/** A lease adds at most 1/8 of what is available ahead of demand. */
const SHARE_DIVISOR = 8

/** How much of an account's available balance an epoch gets. */
export function leaseSize(
  available: Quota,
  { min, max, recentCharges }: Pick<LeaseRequest, 'min' | 'max' | 'recentCharges'>,
): Quota {
  if (available < max) return available >= min ? Math.max(0, available) : 0
  if (available < PLENTY_FACTOR * max) return max
  return max + Math.min(recentCharges, Math.floor(available / SHARE_DIVISOR))
}

/**
 * Amount to lease ahead of the next requests that hold `hold`, so that they need not wait. Zero
 * while the free amount covers one such request and half of the amount ahead. Small balances are
 * never leased ahead.
 */
export function prefetchSize(
  available: Quota,
  { hold, free, recentCharges }: { hold: Quota; free: Quota; recentCharges: Quota },
): Quota {
  const ahead = leaseSize(available, { min: hold, max: hold, recentCharges }) - hold
  return free < hold + ahead / 2 ? Math.max(0, ahead) : 0
}
