import type { Quota } from '@tollgate/contract'
import type { LeaseRequest } from '../batch.ts'
import { leaseSize } from './lease-size.ts'

type Amounts = { quota: Quota; leased: Quota; lease: Quota }

/** The arithmetic of one account under its lock: what it has, and what all runs and this run lease of it. */
export class Balance {
  #quota: Quota
  #leased: Quota
  #lease: Quota

  constructor({ quota, leased, lease }: Amounts) {
    this.#quota = quota
    this.#leased = leased
    this.#lease = lease
  }

  get quota() {
    return this.#quota
  }

  get leased() {
    return this.#leased
  }

  get lease() {
    return this.#lease
  }

  /** From the lease what is said, as far as it is there; the rest of what is wanted from what nobody leases. */
  charge(said: Quota, wanted: Quota): Quota {
    this.giveBack(said)
    const charged = Math.min(wanted, this.#available)
    this.#quota -= charged
    return charged
  }

  giveBack(amount: Quota) {
    const part = Math.min(amount, this.#lease, this.#leased)
    this.#lease -= part
    this.#leased -= part
  }

  draw(wish: Pick<LeaseRequest, 'least' | 'most' | 'recent'>) {
    const drawn = leaseSize(this.#available, wish)
    this.#leased += drawn
    this.#lease += drawn
  }

  /** A budget whose limit was lowered may have less than nothing. */
  get #available() {
    return Math.max(0, this.#quota - this.#leased)
  }
}
