import { END_REASON } from '@tollgate/contract'
import { type Account, assertQuota } from '../account.ts'
import type { Holding } from '../leases/leases.ts'
import {
  type HoldAmount,
  type HoldRefusal,
  LedgerUnavailable,
  type LedgerRequest,
} from '../ledger.ts'
import { type EndInput, unanswered } from '../record.ts'
import type { DatabaseContact } from './database-contact.ts'
import { appendRecord } from './epoch.ts'
import type { HoldCloser } from './hold-closer.ts'
import { heldBy, type HoldOwner, OpenHold } from './hold-state.ts'
import type { NodeDeps, NodeState } from './node-state.ts'
import type { SyncLoop } from './sync-loop.ts'

const PENDING_RECORDS_MAX = 200_000
const PENDING_BYTES_MAX = 1024 ** 3

/** Why nothing can be promised now. */
const FAULTS = {
  stopping: 'this node is stopping',
  journal: 'the journal cannot be written',
  backlog: 'too much is waiting for the database',
  database: 'the database has been away for too long',
} as const

export type AuthorizationFault = keyof typeof FAULTS

type AuthorizerDeps = Pick<NodeDeps, 'clock'> & {
  readonly state: NodeState
  readonly contact: DatabaseContact
  readonly sync: SyncLoop
  readonly closer: HoldCloser
}

/**
 * Authorizes and raises holds. A hold comes out of the leases in memory. Only when these are too
 * small does the request wait for a batch, which requests a larger lease.
 */
export class Authorizer implements HoldOwner {
  readonly #deps: AuthorizerDeps
  #isClosed = false

  constructor(deps: AuthorizerDeps) {
    this.#deps = deps
  }

  /** Null if a promise made now can be kept. */
  get fault(): AuthorizationFault | null {
    if (this.#isClosed) return 'stopping'
    const { state, contact } = this.#deps
    const { journal } = state.epoch.files
    if (!journal.isSound()) return 'journal'
    const { bytes, records } = journal.pending()
    if (records > PENDING_RECORDS_MAX || bytes > PENDING_BYTES_MAX) return 'backlog'
    return contact.isSilent ? 'database' : null
  }

  /**
   * Opens a request's hold; the owner's account comes first. May reject with `LedgerUnavailable`.
   */
  authorize(
    context: LedgerRequest,
    accounts: readonly Account[],
    amount: HoldAmount,
  ): Promise<OpenHold | HoldRefusal> {
    const { state, contact } = this.#deps
    // An asynchronous function would allocate for each request, and few have to wait for a lease.
    if (!contact.hasClockJumped && this.fault === null) {
      const holdings = state.leases.holdings(accounts)
      if (this.#holdAtOnce(holdings, amount)) return this.#open(context, holdings)
    }
    return this.#authorizeWithWait(context, accounts, amount)
  }

  async #authorizeWithWait(
    context: LedgerRequest,
    accounts: readonly Account[],
    amount: HoldAmount,
  ): Promise<OpenHold | HoldRefusal> {
    const { clock, state, contact, sync } = this.#deps
    if (contact.hasClockJumped) await sync.sync()
    this.#assertReady()
    const holdings = state.leases.holdings(accounts)
    const acquired = this.#acquire(holdings, amount)
    const refusal = acquired instanceof Promise ? await acquired : acquired
    if (refusal !== null) return refusal
    if (this.#isClosed) {
      state.leases.settle(holdings, 0, clock.monotonic())
      throw stopping()
    }
    return this.#open(context, holdings)
  }

  #open(context: LedgerRequest, holdings: readonly Holding[]): Promise<OpenHold> {
    const { clock, state, closer } = this.#deps
    const hold = new OpenHold(this, { context, holdings, since: clock.monotonic() })
    hold.slot = state.open.add(hold)
    const { epoch } = state
    appendRecord(epoch, { kind: 'open', context, at: Math.floor(clock.now() / 1000) })
    return epoch.files.journal.written().then(
      () => hold,
      (error: unknown) => {
        void closer.end(hold, unanswered(END_REASON.journalUnavailable))
        throw new LedgerUnavailable(FAULTS.journal, { cause: error })
      },
    )
  }

  /** Raises the hold of a running request, up to `amount.max` in total. */
  async raise(hold: OpenHold, amount: HoldAmount): Promise<HoldRefusal | null> {
    const { clock, state, contact, sync } = this.#deps
    const { max } = amount
    assertQuota(max, 'the maximum of a hold')
    const isNeeded = () => hold.ended === null && max > heldBy(hold)
    if (isNeeded() && contact.hasClockJumped && !sync.isFailing) await sync.sync()
    if (!isNeeded()) return null
    state.leases.refresh(hold.holdings)
    // A raise within the lease writes nothing, so the state of the journal does not matter.
    if (contact.isSilent || state.leases.maxHold(hold.holdings) < max) this.#assertReady()
    const refusal = await this.#acquire(hold.holdings, amount)
    if (hold.ended !== null) state.leases.settle(hold.holdings, 0, clock.monotonic())
    return refusal
  }

  end(hold: OpenHold, ending: EndInput): Promise<void> {
    return this.#deps.closer.end(hold, ending)
  }

  /** Authorizes nothing from here on, and rejects requests that wait for a lease. */
  close() {
    this.#isClosed = true
    this.#deps.state.waiting.rejectAll(stopping())
  }

  /**
   * Synchronous if the leases suffice: nothing may come between the hold and its journal record.
   */
  #acquire(
    holdings: readonly Holding[],
    amount: HoldAmount,
  ): Promise<HoldRefusal | null> | HoldRefusal | null {
    if (this.#holdAtOnce(holdings, amount)) return null
    const { state, sync } = this.#deps
    const refusal = state.waiting.wait(holdings, amount)
    sync.schedule(0)
    return refusal
  }

  /** False if the leases are too small. */
  #holdAtOnce(holdings: readonly Holding[], { max }: HoldAmount): boolean {
    const { clock, state } = this.#deps
    if (max === 0) return true
    if (state.leases.maxHold(holdings) < max) return false
    state.leases.hold(holdings, max, clock.monotonic())
    return true
  }

  /** Throws unless a promise made now can be kept. */
  #assertReady() {
    const { fault } = this
    if (fault !== null) throw new LedgerUnavailable(FAULTS[fault])
  }
}

const stopping = () => new LedgerUnavailable(FAULTS.stopping)
