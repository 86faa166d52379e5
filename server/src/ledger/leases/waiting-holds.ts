import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { AccountMap, distinctAccounts } from '../account-map.ts'
import type { Account } from '../account.ts'
import type { LeaseRequest } from '../batch.ts'
import type { HoldRefusal } from '../ledger.ts'
import { type AccountSet, type Holding, isClosed, type Leases, maxHoldOf } from './leases.ts'

/** How long a request waits for quota that may still become available. */
const REVOKE_WAIT_MS = 500
/** How many batches a request waits for at most while the balance suffices. */
const BATCHES_MAX = 10

/** Combined demand of all requests that wait for an account. */
type Demand = {
  account: Account
  min: Quota
  max: Quota
  isForRunning: boolean
  /** The account was closed when last read; a batch shows whether it still is. */
  isUncertain: boolean
}

const NO_DEMAND = { min: Infinity, max: 0, isForRunning: false, isUncertain: false }

type Waiter = {
  readonly holdings: readonly Holding[]
  readonly min: Quota
  readonly max: Quota
  /** Whether a batch has requested a lease for this. */
  isRequested: boolean
  /** Deadline of the wait for more than the batch granted; null while no such wait was needed. */
  deadline: number | null
  /** Batches that granted too little. */
  batches: number
  /** Whether other nodes were asked to release their leases for this. */
  hasRevoked: boolean
  readonly resolve: (refusal: HoldRefusal | null) => void
  readonly reject: (error: unknown) => void
}

/** Requests that wait for a lease, in order of arrival. */
export class WaitingHolds {
  readonly #revoke: (account: Account) => void
  #waiters: Waiter[] = []

  constructor(revoke: (account: Account) => void) {
    this.#revoke = revoke
  }

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** Whether a waiting request has not been part of a batch yet. */
  get hasUnrequested(): boolean {
    return this.#waiters.some(({ isRequested }) => !isRequested)
  }

  /** Resolves with null once at least `min` is held, otherwise with the refusal. */
  wait(holdings: readonly Holding[], amount: { min: Quota; max: Quota }) {
    return new Promise<HoldRefusal | null>((resolve, reject) => {
      this.#waiters.push({
        ...amount,
        holdings,
        isRequested: false,
        deadline: null,
        batches: 0,
        hasRevoked: false,
        resolve,
        reject,
      })
    })
  }

  /** One lease request per account, for all requests that wait for the account. */
  leaseRequests(leases: Leases, at: number): LeaseRequest[] {
    const demands = new AccountMap<Demand>()
    for (const waiter of this.#waiters) {
      waiter.isRequested = true
      leases.refresh(waiter.holdings)
      for (const { entry, held, isRunning } of waiter.holdings) {
        const { account } = entry
        const demand = demands.get(account) ?? { ...NO_DEMAND, account }
        demand.isForRunning ||= isRunning
        demand.isUncertain ||= isClosed(entry)
        demand.min = Math.min(demand.min, Math.max(0, waiter.min - held))
        demand.max += Math.max(0, waiter.max - held)
        demands.set(account, demand)
      }
    }
    return [...demands.values()].flatMap(({ account, min, max, isForRunning, isUncertain }) => {
      const free = leases.free(account)
      if (free >= max && !isUncertain) return []
      // The combined demand may exceed what an account can have.
      const bounded = (amount: Quota) => Math.min(QUOTA_MAX, Math.max(0, amount))
      const recentCharges = leases.recentCharges(account, at)
      const amount = { min: bounded(min - free), max: bounded(max - free), recentCharges }
      return [{ account, ...amount, isForRunning }]
    })
  }

  accounts(): AccountSet {
    const holdings = this.#waiters.flatMap((waiter) => waiter.holdings)
    return distinctAccounts(holdings.map(({ entry }) => entry.account))
  }

  /**
   * After a batch: resolves requests that got what they need, refuses requests that cannot get it.
   */
  grantOrRefuse(leases: Leases, at: number) {
    this.#waiters = this.#waiters.filter((waiter) => !this.#grantOrRefuseOne(waiter, leases, at))
  }

  rejectAll(error: unknown) {
    const waiters = this.#waiters
    this.#waiters = []
    for (const { reject } of waiters) reject(error)
  }

  #grantOrRefuseOne(waiter: Waiter, leases: Leases, at: number): boolean {
    const { holdings, min, max, isRequested, resolve } = waiter
    leases.refresh(holdings)
    const maxHold = leases.maxHold(holdings)
    const isEnough = maxHold >= max || (isRequested && maxHold >= min)
    if (isEnough) {
      leases.hold(holdings, Math.min(maxHold, max), at)
      resolve(null)
      return true
    }
    if (!isRequested) return false
    const short = holdings.filter((holding) => maxHoldOf(holding) < min)
    const refusal = refusalOf(short, min)
    if (refusal.type === 'in_use' && this.#shouldKeepWaiting(waiter, short, { leases, at }))
      return false
    resolve(refusal)
    return true
  }

  /**
   * Other requests may have taken the free quota during the batch; the next batch then requests a
   * lease again. Other nodes are asked to release what they lease and do not use, unless the
   * balance itself suffices: nodes that release it would have to request it again.
   */
  #shouldKeepWaiting(
    waiter: Waiter,
    short: Holding[],
    { leases, at }: { leases: Leases; at: number },
  ) {
    const { min, deadline } = waiter
    const lacking = short.filter((holding) => !canBeGranted(holding, min, leases))
    waiter.batches += 1
    waiter.deadline ??= at + REVOKE_WAIT_MS
    const isInTime = at < waiter.deadline
    // The batches of a node far from the database take longer than the wait.
    if (lacking.length === 0) return isInTime || waiter.batches <= BATCHES_MAX
    if (waiter.hasRevoked) return isInTime
    const leasedByOthers = lacking.filter(
      ({ entry: { state } }) => state !== null && state.leased > state.lease,
    )
    if (leasedByOthers.length === 0) return deadline !== null && isInTime
    for (const { account } of leasedByOthers.map(({ entry }) => entry)) this.#revoke(account)
    waiter.hasRevoked = true
    waiter.deadline = at + REVOKE_WAIT_MS
    return true
  }
}

/** True if no epoch leases the amount that is lacking. */
function canBeGranted({ entry: { account }, held }: Holding, min: Quota, leases: Leases): boolean {
  const state = leases.state(account)
  const lacking = min - held - leases.free(account)
  return lacking <= 0 || (state !== null && state.balance - state.leased >= lacking)
}

/** Reports a balance that is too small before one that is only in use. */
function refusalOf(short: readonly Holding[], needed: Quota): HoldRefusal {
  const shortages = short.map(({ entry: { account, state }, isRunning }) => ({
    kind: account.kind,
    isOpen: isRunning || (state?.isOpen ?? false),
    balance: state?.balance ?? 0,
    held: state?.leased ?? 0,
  }))
  if (shortages.some(({ isOpen }) => !isOpen)) return { type: 'no_account' }
  const poor = shortages.find(({ balance }) => balance < needed)
  if (poor) return { type: 'insufficient', account: poor.kind, balance: poor.balance, needed }
  const [busy] = shortages
  if (busy === undefined) throw new Error('refused although nothing is short')
  return { type: 'in_use', account: busy.kind, balance: busy.balance, held: busy.held, needed }
}
