import type { Quota } from '@tollgate/contract'
import type { LeaseRequest } from '../batch.ts'

/** An account with less than so many times what is needed is drawn exactly: it has no fragments. */
const PLENTY = 20
/** No lease takes more ahead than this part of what is available. */
const SHARE = 8

/** How much of what an account has available a run gets. */
export function leaseSize(
  available: Quota,
  { least, most, recent }: Pick<LeaseRequest, 'least' | 'most' | 'recent'>,
): Quota {
  if (available < most) return available >= least ? Math.max(0, available) : 0
  if (available < PLENTY * most) return most
  return most + Math.min(recent, Math.floor(available / SHARE))
}

/**
 * What is drawn ahead of those who will ask for `hold`, so that they need not wait for it: nothing while what is free
 * is enough for one of them and half of what a lease takes ahead. Of small balances nothing is ever drawn ahead.
 */
export function drawnAhead(
  available: Quota,
  { hold, free, recent }: { hold: Quota; free: Quota; recent: Quota },
): Quota {
  const ahead = leaseSize(available, { least: hold, most: hold, recent }) - hold
  return free < hold + ahead / 2 ? Math.max(0, ahead) : 0
}
