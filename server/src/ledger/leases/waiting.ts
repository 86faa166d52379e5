import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { type Account, type AccountKey, keyOf } from '../account.ts'
import type { LeaseRequest } from '../batch.ts'
import type { HoldRefusal } from '../ledger.ts'
import { type Holding, isClosed, type Leases, reachOf } from './leases.ts'

/** How long a request waits for what it may still get. */
const PATIENCE_MS = 500

/** What all who wait for an account want of it together. */
type Wish = {
  account: Account
  least: Quota
  most: Quota
  isForRunning: boolean
  /** It was closed when it was last looked at: a turn tells whether it still is. */
  isUnsure: boolean
}

const NO_WISH = { least: Infinity, most: 0, isForRunning: false, isUnsure: false }

type Waiter = {
  readonly holdings: readonly Holding[]
  readonly least: Quota
  readonly most: Quota
  /** A turn has asked the database for it. */
  asked: boolean
  /** Until when it waits for more than its turn gave; null while that has not been needed. */
  until: number | null
  readonly resolve: (refusal: HoldRefusal | null) => void
  readonly reject: (error: unknown) => void
}

/** Requests that wait for a lease, in the order in which they came. */
export class Waiting {
  readonly #recall: (account: Account) => void
  #waiters: Waiter[] = []

  constructor(recall: (account: Account) => void) {
    this.#recall = recall
  }

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** Whether some request has not been asked for yet. */
  get isNew(): boolean {
    return this.#waiters.some(({ asked }) => !asked)
  }

  /** Resolves with null when it holds at least the least, and else with why not. */
  wait(holdings: readonly Holding[], amount: { least: Quota; most: Quota }) {
    return new Promise<HoldRefusal | null>((resolve, reject) => {
      this.#waiters.push({ ...amount, holdings, asked: false, until: null, resolve, reject })
    })
  }

  /** One draw for each account, for all who wait for it. */
  draws(leases: Leases, at: number): LeaseRequest[] {
    const wishes = new Map<AccountKey, Wish>()
    for (const waiter of this.#waiters) {
      waiter.asked = true
      leases.refresh(waiter.holdings)
      for (const { entry, held, isRunning } of waiter.holdings) {
        const { account } = entry
        const wish = wishes.get(keyOf(account)) ?? { ...NO_WISH, account }
        wish.isForRunning ||= isRunning
        wish.isUnsure ||= isClosed(entry)
        wish.least = Math.min(wish.least, Math.max(0, waiter.least - held))
        wish.most += Math.max(0, waiter.most - held)
        wishes.set(keyOf(account), wish)
      }
    }
    return [...wishes.values()].flatMap(({ account, least, most, isForRunning, isUnsure }) => {
      const free = leases.free(account)
      if (free >= most && !isUnsure) return []
      // No account has more, whatever those who wait wish for together.
      const bounded = (amount: Quota) => Math.min(QUOTA_MAX, Math.max(0, amount))
      const recent = leases.recent(account, at)
      const amount = { least: bounded(least - free), most: bounded(most - free), recent }
      return [{ account, ...amount, isForRunning }]
    })
  }

  /** The accounts that some request waits for. */
  wanted(): ReadonlySet<AccountKey> {
    const keys = this.#waiters.flatMap(({ holdings }) =>
      holdings.map(({ entry }) => keyOf(entry.account)),
    )
    return new Set(keys)
  }

  /** After a turn: who got what they need goes on, who cannot get it is refused. */
  serve(leases: Leases, at: number) {
    this.#waiters = this.#waiters.filter((waiter) => !this.#serveOne(waiter, leases, at))
  }

  rejectAll(error: unknown) {
    const waiters = this.#waiters
    this.#waiters = []
    for (const { reject } of waiters) reject(error)
  }

  #serveOne(waiter: Waiter, leases: Leases, at: number): boolean {
    const { holdings, least, most, asked, resolve } = waiter
    leases.refresh(holdings)
    const reach = leases.reach(holdings)
    const isEnough = reach >= most || (asked && reach >= least)
    if (isEnough) {
      leases.hold(holdings, Math.min(reach, most), at)
      resolve(null)
      return true
    }
    if (!asked) return false
    const short = holdings.filter((holding) => reachOf(holding) < least)
    const refusal = refusalOf(short, least)
    if (refusal.type === 'in_use' && this.#mayStillCome(waiter, short, { leases, at })) return false
    resolve(refusal)
    return true
  }

  /**
   * Others may have taken what was free here while the turn was under way: then the next one draws again. And other
   * nodes are asked for what they lease and do not use.
   */
  #mayStillCome(waiter: Waiter, short: Holding[], { leases, at }: { leases: Leases; at: number }) {
    if (waiter.until !== null) return at < waiter.until
    const leasedElsewhere = short.filter(
      ({ entry: { state } }) => state !== null && state.leased > state.lease,
    )
    if (leasedElsewhere.length === 0 && !canBeDrawn(waiter, leases)) return false
    for (const { account } of leasedElsewhere.map(({ entry }) => entry)) this.#recall(account)
    waiter.until = at + PATIENCE_MS
    return true
  }
}

/** Nobody leases what it lacks. */
function canBeDrawn({ holdings, least }: Waiter, leases: Leases): boolean {
  return holdings.every(({ entry: { account }, held }) => {
    const state = leases.state(account)
    const lacking = least - held - leases.free(account)
    return lacking <= 0 || (state !== null && state.balance - state.leased >= lacking)
  })
}

/** A balance that is too small is told before one that is only in use. */
function refusalOf(short: readonly Holding[], needed: Quota): HoldRefusal {
  const found = short.map(({ entry: { account, state }, isRunning }) => ({
    kind: account.kind,
    isOpen: isRunning || (state?.isOpen ?? false),
    balance: state?.balance ?? 0,
    held: state?.leased ?? 0,
  }))
  if (found.some(({ isOpen }) => !isOpen)) return { type: 'no_account' }
  const poor = found.find(({ balance }) => balance < needed)
  if (poor) return { type: 'insufficient', account: poor.kind, balance: poor.balance, needed }
  const [busy] = found
  if (busy === undefined) throw new Error('refused although nothing is short')
  return { type: 'in_use', account: busy.kind, balance: busy.balance, held: busy.held, needed }
}
