import type { Quota } from '@tollgate/contract'
import type { Draw } from './turn.ts'

/** An account with less than so many times what is needed is drawn exactly: it has no fragments. */
const PLENTY = 20
/** No lease takes more ahead than this part of what is available. */
const SHARE = 8

/** How much of what an account has available a run gets. */
export function leaseSize(
  available: Quota,
  { least, most, recent }: Pick<Draw, 'least' | 'most' | 'recent'>,
): Quota {
  if (available < most) return available >= least ? Math.max(0, available) : 0
  if (available < PLENTY * most) return most
  return most + Math.min(recent, Math.floor(available / SHARE))
}
