import type { Quota } from '@tollgate/contract'
import type { Holding } from '../leases/leases.ts'
import type { RequestContext } from '../ledger.ts'

/** A request that is running, and what is held for it on each of its accounts. */
export type OpenHold = {
  readonly context: RequestContext
  /** Of the owner first. */
  readonly holdings: readonly Holding[]
  readonly since: number
  ended: Promise<void> | null
}

/** What is held now, of the owner. */
export const heldBy = ({ holdings }: OpenHold): Quota => holdings[0]?.held ?? 0
