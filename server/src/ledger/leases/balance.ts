import type { Quota } from '@tollgate/contract'
import type { LeaseRequest } from '../batch.ts'
import { leaseSize } from './lease-size.ts'

type Amounts = { quota: Quota; leased: Quota; lease: Quota }

/**
 * Arithmetic of one account under its lock: its quota, what all epochs lease of it, and this
 * epoch's lease.
 */
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

  /**
   * Releases `fromLease`, as far as the lease has that much, then charges `wanted` to
   * what is not leased. Returns the amount charged.
   */
  charge(fromLease: Quota, wanted: Quota): Quota {
    this.release(fromLease)
    const charged = Math.min(wanted, this.#available)
    this.#quota -= charged
    return charged
  }

  release(amount: Quota) {
    const part = Math.min(amount, this.#lease, this.#leased)
    this.#lease -= part
    this.#leased -= part
  }

  grant(demand: Pick<LeaseRequest, 'min' | 'max' | 'recentCharges'>) {
    const granted = leaseSize(this.#available, demand)
    this.#leased += granted
    this.#lease += granted
  }

  /** Negative if the limit of a budget was lowered. */
  get #available() {
    return Math.max(0, this.#quota - this.#leased)
  }
}
