/*
 * What this run may spend, account by account, in memory:
 *
 *   free = lease − held by running requests − on its way back − taken by ends that are not applied yet
 *
 * `free` is never below zero: a lease that an edit took away counts as nothing.
 */
import { QUOTA_MAX, type Quota } from '@tollgate/contract'
import { type Account, type AccountKey, keyOf, type Part } from '../account.ts'
import type { AccountState, LeaseRequest, Batch } from '../batch.ts'
import { drawnAhead } from './lease-size.ts'

const RECENT_MS = 60_000
const IDLE_MS = 5000
const EXACT_MS = 10_000

type Entry = {
  readonly account: Account
  lease: Quota
  held: Quota
  returning: Quota
  ended: Quota
  /** As the last turn that touched it found it; null before the first. */
  state: AccountState | null
  usedAt: number
  /** What a request held of it last. */
  lastHold: Quota
  /** Another node wants it: nothing is kept in store until then. */
  exactUntil: number
  recent: RecentSum
}

/** The sum of the last minute, forgotten by halves of one. */
class RecentSum {
  #since = -Infinity
  #now = 0
  #before = 0

  add(amount: number, at: number) {
    this.#turnOver(at)
    this.#now += amount
  }

  sum(at: number): number {
    this.#turnOver(at)
    return this.#now + this.#before
  }

  #turnOver(at: number) {
    const half = RECENT_MS / 2
    if (at - this.#since < half) return
    this.#before = at - this.#since < RECENT_MS ? this.#now : 0
    this.#now = 0
    this.#since = at
  }
}

/** What a request holds of one account. */
export type Holding = {
  entry: Entry
  held: Quota
  /** It has held of it: what becomes of the account does not cut it off, and keeps others from coming in. */
  isRunning: boolean
}

/** What a run leases of an account, and what it ought to: as much as this, or more where it has drawn. */
export type LeaseDifference = { account: Account; lease: Quota; expected: Quota }

/** What a run leases, account by account; times are milliseconds of the monotonic clock. */
export class Leases {
  readonly #entries = new Map<AccountKey, Entry>()

  free(account: Account): Quota {
    const entry = this.#entries.get(keyOf(account))
    return entry === undefined ? 0 : freeOf(entry)
  }

  /** What the last turn that touched it found. */
  state(account: Account): AccountState | null {
    return this.#entries.get(keyOf(account))?.state ?? null
  }

  /** To begin with nothing is held. */
  holdings(accounts: readonly Account[]): Holding[] {
    return accounts.map((account) => ({
      entry: this.#entry(account),
      held: 0,
      isRunning: false,
    }))
  }

  /** What a request held of a lease that has gone holds nothing any more; what it holds next is of today's. */
  refresh(holdings: readonly Holding[]) {
    for (const holding of holdings) {
      const entry = this.#entry(holding.entry.account)
      if (holding.entry === entry) continue
      holding.entry = entry
      holding.held = 0
    }
  }

  /** How much a request could hold now, of each of its accounts. */
  reach(holdings: readonly Holding[]): Quota {
    return Math.min(...holdings.map(reachOf))
  }

  /** Holds so much of each account; the caller has looked at `reach`. */
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

  /** Ends a hold at a cost; gives what that takes from the lease of each account. */
  settle(holdings: readonly Holding[], cost: Quota, at: number): Part[] {
    return holdings.map((holding) => {
      const { entry, held } = holding
      entry.held -= held
      holding.held = 0
      const amount = Math.min(cost, freeOf(entry))
      entry.ended += amount
      entry.usedAt = at
      entry.recent.add(amount, at)
      return { account: entry.account, amount }
    })
  }

  /** How much more than needed a draw may ask for. */
  recent(account: Account, at: number): Quota {
    const entry = this.#entry(account)
    return at < entry.exactUntil ? 0 : Math.min(QUOTA_MAX, entry.recent.sum(at))
  }

  /** Before somebody waits for it: of the accounts that these ends are charged to, but those that are drawn from anyway. */
  drawsAhead(records: Batch['records'], at: number, but: ReadonlySet<AccountKey>): LeaseRequest[] {
    const charged = new Map(
      records.flatMap(({ parts }) => parts.map(({ account }) => [keyOf(account), account])),
    )
    return [...charged].flatMap(([key, account]) => {
      const entry = this.#entry(account)
      const { lastHold: hold, state, usedAt } = entry
      if (but.has(key) || !state?.isOpen || at - usedAt >= IDLE_MS) return []
      const recent = this.recent(account, at)
      const available = state.balance - state.leased
      const ahead = drawnAhead(available, { hold, free: freeOf(entry), recent })
      return ahead > 0 ? [{ account, least: 0, most: 0, recent }] : []
    })
  }

  /** Another node is short of it: what is free goes back with the next turn, and nothing is stored up. */
  recall(account: Account, at: number) {
    const entry = this.#entry(account)
    entry.exactUntil = at + EXACT_MS
    entry.usedAt = -Infinity
  }

  /** Takes out of memory what is idle, so that nobody holds it while it is on its way back. */
  takeIdle(at: number, wanted: ReadonlySet<AccountKey>): Batch['returns'] {
    const returns: { account: Account; amount: Quota }[] = []
    for (const [key, entry] of this.#entries) {
      if (at - entry.usedAt < IDLE_MS || wanted.has(key)) continue
      const amount = freeOf(entry)
      if (amount > 0) {
        entry.returning += amount
        returns.push({ account: entry.account, amount })
      } else if (at >= entry.exactUntil && isForgettable(entry)) this.#entries.delete(key)
    }
    return returns
  }

  /**
   * What a turn did: what it applied and returned has left the leases, what it drew is in them. Gives the leases it
   * touched that are not what was promised out of them, which only a bug of ours can bring about.
   */
  applied(turn: Batch, accounts: readonly AccountState[]): LeaseDifference[] {
    const left = [...turn.records.flatMap(({ parts }) => parts), ...turn.returns]
    for (const { account, amount } of left) this.#entry(account).lease -= amount
    for (const { parts } of turn.records) {
      for (const { account, amount } of parts) this.#entry(account).ended -= amount
    }
    for (const { account, amount } of turn.returns) this.#entry(account).returning -= amount
    const drawn = new Set(turn.draws.map(({ account }) => keyOf(account)))
    return accounts.flatMap((state) => {
      const entry = this.#entry(state.account)
      const difference = differenceOf(entry, state, drawn.has(keyOf(state.account)))
      this.#see(entry, state)
      return difference
    })
  }

  /** After an answer was lost: what the database says this run leases, and what it has not applied. */
  restart(accounts: readonly AccountState[], unapplied: Iterable<readonly Part[]>) {
    const states = new Map(accounts.map((state) => [keyOf(state.account), state]))
    for (const entry of this.#entries.values()) Object.assign(entry, { returning: 0, ended: 0 })
    for (const parts of unapplied) {
      for (const { account, amount } of parts) this.#entry(account).ended += amount
    }
    for (const [key, entry] of this.#entries) {
      const lease = states.get(key)?.lease ?? 0
      const isGone = lease < entry.held + entry.ended
      if (isGone) this.#replace(entry, lease)
      else entry.lease = lease
    }
    for (const state of accounts) {
      const entry = this.#entry(state.account)
      entry.state = state
      entry.lease = state.lease
    }
  }

  #see(entry: Entry, state: AccountState) {
    // Somebody took it away: an edit of a limit gives all leases of it back.
    const isGone = state.lease < entry.lease
    const current = isGone ? this.#replace(entry, state.lease) : entry
    current.state = state
    current.lease = state.lease
  }

  /** What was held of it is held of nothing from here on. */
  #replace(gone: Entry, lease: Quota): Entry {
    const entry = { ...gone, lease, held: 0 }
    this.#entries.set(keyOf(gone.account), entry)
    Object.assign(gone, { lease: 0, returning: 0, ended: 0 })
    return entry
  }

  #entry(account: Account): Entry {
    const key = keyOf(account)
    const known = this.#entries.get(key)
    if (known) return known
    const entry: Entry = {
      account,
      lease: 0,
      held: 0,
      returning: 0,
      ended: 0,
      state: null,
      usedAt: -Infinity,
      lastHold: 0,
      exactUntil: -Infinity,
      recent: new RecentSum(),
    }
    this.#entries.set(key, entry)
    return entry
  }
}

const freeOf = ({ lease, held, returning, ended }: Entry): Quota =>
  Math.max(0, lease - held - returning - ended)

/** Of an account that was closed when it was last looked at a request that comes in gets nothing, whatever is free. */
export const reachOf = ({ entry, held, isRunning }: Holding): Quota =>
  isClosed(entry) && !isRunning ? 0 : freeOf(entry) + held

export const isClosed = ({ state }: Holding['entry']): boolean => state?.isOpen === false

/** An edit may take away what is leased of a limit, and nothing of what is leased of a user. */
function differenceOf(
  { account, lease: known, held, returning, ended }: Entry,
  { lease }: AccountState,
  isDrawn: boolean,
): LeaseDifference[] {
  const promised = held + returning + ended
  const expected = Math.max(0, known, account.kind === 'user' ? promised : 0)
  const isMore = lease > expected && !isDrawn
  const isLess = lease < expected && account.kind === 'user'
  return isMore || isLess ? [{ account, lease, expected }] : []
}

const isForgettable = ({ lease, held, returning, ended }: Entry) =>
  lease === 0 && held === 0 && returning === 0 && ended === 0
