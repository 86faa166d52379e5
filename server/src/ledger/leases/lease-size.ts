import type { Quota } from '@tollgate/contract'
import type { LeaseRequest } from '../batch.ts'

/**
 * An account with less than 20 times what is needed grants exactly that, which avoids fragmenting
 * small balances.
 */
const PLENTY = 20
/** A lease adds at most 1/8 of what is available ahead of demand. */
const SHARE = 8

/** How much of an account's available balance an epoch gets. */
export function leaseSize(
  available: Quota,
  { least, most, recent }: Pick<LeaseRequest, 'least' | 'most' | 'recent'>,
): Quota {
  if (available < most) return available >= least ? Math.max(0, available) : 0
  if (available < PLENTY * most) return most
  return most + Math.min(recent, Math.floor(available / SHARE))
}

/**
 * Amount to lease ahead of the next requests that hold `hold`, so that they need not wait. Zero
 * while the free amount covers one such request and half of the amount ahead. Small balances are
 * never leased ahead.
 */
export function drawnAhead(
  available: Quota,
  { hold, free, recent }: { hold: Quota; free: Quota; recent: Quota },
): Quota {
  const ahead = leaseSize(available, { least: hold, most: hold, recent }) - hold
  return free < hold + ahead / 2 ? Math.max(0, ahead) : 0
}
