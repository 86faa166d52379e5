import type { Quota } from '@tollgate/contract'
import type { Holding } from '../leases/leases.ts'
import type {
  Hold,
  HoldAmount,
  HoldRefusal,
  LedgerRequest,
  RaiseOutcome,
  RequestEnd,
  Settlement,
} from '../ledger.ts'
import type { EndInput } from '../record.ts'

/** Raises and ends holds. */
export type HoldOwner = {
  readonly raise: (hold: OpenHold, amount: HoldAmount) => Promise<HoldRefusal | null>
  readonly end: (hold: OpenHold, ending: EndInput) => Promise<void>
}

type Opened = Pick<OpenHold, 'context' | 'holdings' | 'since'>

/** The hold of a running request, and the outcome of asking for it. */
export class OpenHold implements Hold {
  readonly type = 'held'
  readonly context: LedgerRequest
  /** The owner's holding comes first. */
  readonly holdings: readonly Holding[]
  readonly since: number
  ended: Promise<void> | null = null
  /** The slot of this hold among the node's open holds; -1 before it has one. */
  slot = -1
  readonly #owner: HoldOwner

  constructor(owner: HoldOwner, { context, holdings, since }: Opened) {
    this.context = context
    this.holdings = holdings
    this.since = since
    this.#owner = owner
  }

  get hold(): Hold {
    return this
  }

  get amount(): Quota {
    return heldBy(this)
  }

  async raise(amount: HoldAmount): Promise<RaiseOutcome> {
    return (await this.#owner.raise(this, amount)) ?? { type: 'held' }
  }

  settle(settlement: Settlement): Promise<void> {
    return this.#owner.end(this, settlement)
  }

  void(end: RequestEnd): Promise<void> {
    return this.#owner.end(this, { ...end, cost: 0, basis: null })
  }
}

/** Amount held now on the owner's account. */
export const heldBy = ({ holdings }: Pick<OpenHold, 'holdings'>): Quota => holdings[0]?.held ?? 0
