import type { Quota } from '@tollgate/contract'
import type { Holding } from '../leases/leases.ts'
import type { LedgerRequest } from '../ledger.ts'

export type OpenHold = {
  readonly context: LedgerRequest
  /** The owner's holding comes first. */
  readonly holdings: readonly Holding[]
  readonly since: number
  ended: Promise<void> | null
}

/** Amount held now on the owner's account. */
export const heldBy = ({ holdings }: OpenHold): Quota => holdings[0]?.held ?? 0
