/*
 * What this epoch may spend, account by account, in memory:
 *
 *   free = lease − held by running requests − being returned − taken by ends not applied yet
 *
 * `free` is never below zero: a lease that an edit took away counts as zero.
 */
import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { AccountMap, distinctAccounts } from '../account-map.ts'
import { type Account, keyOf, type AccountAmount } from '../account.ts'
import type { AccountState, LeaseRequest, Batch } from '../batch.ts'
import { prefetchSize } from './lease-size.ts'

/** Accounts, each once. */
export type AccountSet = Pick<AccountMap<unknown>, 'has'>

const RECENT_MS = 60_000
const IDLE_MS = 5000
const MINIMAL_LEASE_MS = 10_000

type Entry = {
  readonly account: Account
  lease: Quota
  held: Quota
  releasing: Quota
  ended: Quota
  /** State in the last batch that touched the account; null before the first. */
  state: AccountState | null
  usedAt: number
  lastHold: Quota
  /** Until then nothing is leased ahead of demand, because another node needs the account. */
  minimalUntil: number
  recentCharges: RecentSum
}

/** Sum over about the last minute, in two half-minute buckets. */
class RecentSum {
  #since = -Infinity
  #now = 0
  #before = 0

  add(amount: number, at: number) {
    this.#rotate(at)
    this.#now += amount
  }

  sum(at: number): number {
    this.#rotate(at)
    return this.#now + this.#before
  }

  #rotate(at: number) {
    const half = RECENT_MS / 2
    if (at - this.#since < half) return
    this.#before = at - this.#since < RECENT_MS ? this.#now : 0
    this.#now = 0
    this.#since = at
  }
}

export type Holding = {
  entry: Entry
  held: Quota
  /**
   * Set once the request has held something: closing the account stops new requests, not this one.
   */
  isRunning: boolean
}

/**
 * An epoch's lease on an account against what is expected: exactly `expected`, or more if the batch
 * requested a lease.
 */
export type LeaseDifference = { account: Account; lease: Quota; expected: Quota }

/** This epoch's leases, by account. Times are milliseconds of the monotonic clock. */
export class Leases {
  readonly #entries = new AccountMap<Entry>()

  free(account: Account): Quota {
    const entry = this.#entries.get(account)
    return entry === undefined ? 0 : freeOf(entry)
  }

  /** What is leased of users' balances and held of it. Tokens' limits hold the same money again. */
  totals(): { leased: Quota; held: Quota } {
    let [leased, held] = [0, 0]
    for (const entry of this.#entries.values()) {
      if (entry.account.kind !== 'user') continue
      leased += entry.lease
      held += entry.held
    }
    return { leased, held }
  }

  state(account: Account): AccountState | null {
    return this.#entries.get(account)?.state ?? null
  }

  holdings(accounts: readonly Account[]): Holding[] {
    return accounts.map((account) => ({
      entry: this.#entry(account),
      held: 0,
      isRunning: false,
    }))
  }

  /**
   * What a request held on a lease that is gone counts as nothing; its next hold comes from the
   * current lease.
   */
  refresh(holdings: readonly Holding[]) {
    for (const holding of holdings) {
      const entry = this.#entry(holding.entry.account)
      if (holding.entry === entry) continue
      holding.entry = entry
      holding.held = 0
    }
  }

  /** How much a request could hold now on each of its accounts. */
  maxHold(holdings: readonly Holding[]): Quota {
    let most = Infinity
    for (const holding of holdings) most = Math.min(most, maxHoldOf(holding))
    return most
  }

  /** Raises the hold on each account to `amount`; the caller has checked `maxHold`. */
  hold(holdings: readonly Holding[], amount: Quota, at: number) {
    for (const holding of holdings) {
      const { entry, held } = holding
      const more = Math.max(0, amount - held)
      if (freeOf(entry) < more) throw new Error(`not free: ${more} of ${keyOf(entry.account)}`)
      entry.held += more
      entry.lastHold = amount
      entry.usedAt = at
      holding.held += more
      holding.isRunning = true
    }
  }

  /** Ends a hold at a cost. Returns the amount taken from the lease on each account. */
  settle(holdings: readonly Holding[], cost: Quota, at: number): AccountAmount[] {
    return holdings.map((holding) => {
      const { entry, held } = holding
      entry.held -= held
      holding.held = 0
      const amount = Math.min(cost, freeOf(entry))
      entry.ended += amount
      entry.usedAt = at
      entry.recentCharges.add(amount, at)
      return { account: entry.account, amount }
    })
  }

  /** Upper bound on what a lease request may add ahead of demand. */
  recentCharges(account: Account, at: number): Quota {
    const entry = this.#entry(account)
    return at < entry.minimalUntil ? 0 : Math.min(QUOTA_MAX, entry.recentCharges.sum(at))
  }

  /**
   * Lease requests ahead of demand, on the accounts these ends are charged to. `excluded`: accounts
   * that are requested anyway.
   */
  prefetchRequests(records: Batch['records'], at: number, excluded: AccountSet): LeaseRequest[] {
    const charged = new AccountMap<Account>()
    for (const { parts } of records) {
      for (const { account } of parts) charged.set(account, account)
    }
    return [...charged.values()].flatMap((account) => {
      const entry = this.#entry(account)
      const { lastHold: hold, state, usedAt } = entry
      if (excluded.has(account) || !state?.isOpen || at - usedAt >= IDLE_MS) return []
      const recentCharges = this.recentCharges(account, at)
      const available = state.balance - state.leased
      const prefetch = prefetchSize(available, { hold, free: freeOf(entry), recentCharges })
      return prefetch > 0 ? [{ account, min: 0, max: 0, recentCharges }] : []
    })
  }

  /**
   * Another node is short of this account: the next batch returns what is free, and nothing is
   * leased ahead for 10 s.
   */
  revoke(account: Account, at: number) {
    const entry = this.#entry(account)
    entry.minimalUntil = at + MINIMAL_LEASE_MS
    entry.usedAt = -Infinity
  }

  /** Takes idle amounts out of use, so that no request holds them while they are being returned. */
  releaseIdle(at: number, wanted: AccountSet): Batch['releases'] {
    const releases: { account: Account; amount: Quota }[] = []
    for (const entry of this.#entries.values()) {
      const { account } = entry
      if (at - entry.usedAt < IDLE_MS || wanted.has(account)) continue
      const amount = freeOf(entry)
      if (amount > 0) {
        entry.releasing += amount
        releases.push({ account, amount })
      } else if (at >= entry.minimalUntil && isForgettable(entry)) this.#entries.delete(account)
    }
    return releases
  }

  /**
   * Accounts for an applied batch: applied and returned amounts leave the leases, granted amounts
   * enter. Returns the leases that differ from what was promised, which only a bug can cause.
   */
  batchApplied(batch: Batch, accounts: readonly AccountState[]): LeaseDifference[] {
    for (const { parts } of batch.records) {
      for (const { account, amount } of parts) {
        const entry = this.#entry(account)
        entry.lease -= amount
        entry.ended -= amount
      }
    }
    for (const { account, amount } of batch.releases) {
      const entry = this.#entry(account)
      entry.lease -= amount
      entry.releasing -= amount
    }
    const requested = distinctAccounts(batch.leaseRequests.map(({ account }) => account))
    return accounts.flatMap((state) => {
      const entry = this.#entry(state.account)
      const difference = differenceOf(entry, state, requested.has(state.account))
      this.#adopt(entry, state)
      return difference
    })
  }

  /**
   * After a lost acknowledgement: adopts the leases the database states and counts the records it
   * has not applied.
   */
  restart(accounts: readonly AccountState[], pending: Iterable<readonly AccountAmount[]>) {
    const states = new AccountMap<AccountState>()
    for (const state of accounts) states.set(state.account, state)
    for (const entry of this.#entries.values()) Object.assign(entry, { releasing: 0, ended: 0 })
    for (const parts of pending) {
      for (const { account, amount } of parts) this.#entry(account).ended += amount
    }
    for (const entry of this.#entries.values()) {
      const lease = states.get(entry.account)?.lease ?? 0
      const isRevoked = lease < entry.held + entry.ended
      if (isRevoked) this.#replace(entry, lease)
      else entry.lease = lease
    }
    for (const state of accounts) {
      const entry = this.#entry(state.account)
      entry.state = state
      entry.lease = state.lease
    }
  }

  #adopt(entry: Entry, state: AccountState) {
    // The lease was taken away: an edit of a limit returns all leases on it.
    const isRevoked = state.lease < entry.lease
    const current = isRevoked ? this.#replace(entry, state.lease) : entry
    current.state = state
    current.lease = state.lease
  }

  /** Amounts held on the old lease count as nothing from here on. */
  #replace(revoked: Entry, lease: Quota): Entry {
    const entry = { ...revoked, lease, held: 0 }
    this.#entries.set(revoked.account, entry)
    Object.assign(revoked, { lease: 0, releasing: 0, ended: 0 })
    return entry
  }

  #entry(account: Account): Entry {
    const known = this.#entries.get(account)
    if (known) return known
    const entry: Entry = {
      account,
      lease: 0,
      held: 0,
      releasing: 0,
      ended: 0,
      state: null,
      usedAt: -Infinity,
      lastHold: 0,
      minimalUntil: -Infinity,
      recentCharges: new RecentSum(),
    }
    this.#entries.set(account, entry)
    return entry
  }
}

const freeOf = ({ lease, held, releasing, ended }: Entry): Quota =>
  Math.max(0, lease - held - releasing - ended)

/** On an account that was closed when last read, a new request gets nothing, whatever is free. */
export const maxHoldOf = ({ entry, held, isRunning }: Holding): Quota =>
  isClosed(entry) && !isRunning ? 0 : freeOf(entry) + held

export const isClosed = ({ state }: Holding['entry']): boolean => state?.isOpen === false

/** An edit may take away leases on a limit, but none on a user. */
function differenceOf(
  { account, lease: known, held, releasing, ended }: Entry,
  { lease }: AccountState,
  isRequested: boolean,
): LeaseDifference[] {
  const promised = held + releasing + ended
  const expected = Math.max(0, known, account.kind === 'user' ? promised : 0)
  const isMore = lease > expected && !isRequested
  const isLess = lease < expected && account.kind === 'user'
  return isMore || isLess ? [{ account, lease, expected }] : []
}

const isForgettable = ({ lease, held, releasing, ended }: Entry) =>
  lease === 0 && held === 0 && releasing === 0 && ended === 0
