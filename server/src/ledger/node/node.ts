/*
 * This process's side of the ledger. A hold passes through three parts:
 *
 *   authorizer  takes the hold out of the leases, and opens the request in the journal
 *   hold closer ends the request: charges the leases, and writes the end to the journal
 *   sync loop   sends ends, releases and lease requests to the database, a batch at a time
 *
 * A request waits for a batch only when this epoch leases too little for its hold; otherwise the
 * request waits for neither the database nor, by default, an fsync. Ended requests are in the
 * journal, whatever happens to the database.
 */
import { END_REASON, type Seconds } from '@tollgate/contract'
import { Slots } from '../../slots.ts'
import type { Account } from '../account.ts'
import { Leases } from '../leases/leases.ts'
import { WaitingHolds } from '../leases/waiting-holds.ts'
import type { HoldAmount, HoldRefusal, LedgerRequest, LedgerVitals } from '../ledger.ts'
import { type EndInput, unanswered } from '../record.ts'
import { type AuthorizationFault, Authorizer } from './authorizer.ts'
import { DatabaseContact } from './database-contact.ts'
import { type Epoch, openEpoch } from './epoch.ts'
import { HoldCloser } from './hold-closer.ts'
import type { OpenHold } from './hold-state.ts'
import { detectLeaks } from './leak-detector.ts'
import type { NodeDeps, NodeState } from './node-state.ts'
import { SyncLoop } from './sync-loop.ts'

export class LedgerNode {
  readonly #deps: NodeDeps
  readonly #state: NodeState
  readonly #contact: DatabaseContact
  readonly #sync: SyncLoop
  readonly #closer: HoldCloser
  readonly #authorizer: Authorizer
  readonly #leaks: ReturnType<typeof detectLeaks>
  #closing: Promise<void> | null = null

  private constructor(deps: NodeDeps, epoch: Epoch) {
    const { clock } = deps
    const waiting = new WaitingHolds(deps.revoke)
    const leases = new Leases()
    const state: NodeState = { open: new Slots(), waiting, epoch, leases, retired: [] }
    const contact = new DatabaseContact(clock)
    const leaks = detectLeaks(deps, {
      open: state.open,
      end: (hold) => void this.end(hold, unanswered(END_REASON.leaked)),
    })
    const sync = new SyncLoop({ ...deps, state, contact, reportDifferences: leaks.report })
    const closer = new HoldCloser({ clock, state, sync, onEnd: deps.onEnd })
    this.#deps = deps
    this.#state = state
    this.#contact = contact
    this.#sync = sync
    this.#closer = closer
    this.#authorizer = new Authorizer({ clock, state, contact, sync, closer })
    this.#leaks = leaks
  }

  static async open(deps: NodeDeps): Promise<LedgerNode> {
    return new LedgerNode(deps, await openEpoch(deps))
  }

  get epoch(): string {
    return this.#state.epoch.name
  }

  get running(): number {
    return this.#state.open.size
  }

  /** While true, at most what is leased already can be held. */
  get isUnavailable(): boolean {
    const isSound = this.#state.epoch.files.journal.isSound()
    return this.#sync.isFailing || this.#contact.isSilent || !isSound
  }

  /** Null while every request that its balance covers is authorized. */
  get fault(): AuthorizationFault | null {
    return this.#authorizer.fault ?? (this.#sync.isFailing ? 'database' : null)
  }

  get vitals(): LedgerVitals {
    const { open, leases, epoch, retired } = this.#state
    const oldest = [...retired, epoch].map(({ pending }) => pending.oldestEnd ?? Infinity)
    const unappliedSince = Math.min(...oldest)
    return {
      ...leases.totals(),
      holds: open.size,
      journal: epoch.files.journal.pending(),
      unappliedSince: unappliedSince === Infinity ? null : unappliedSince,
    }
  }

  get databaseSeconds(): Seconds {
    return this.#contact.seconds
  }

  authorize(
    context: LedgerRequest,
    accounts: readonly Account[],
    amount: HoldAmount,
  ): Promise<OpenHold | HoldRefusal> {
    return this.#authorizer.authorize(context, accounts, amount)
  }

  raise(hold: OpenHold, amount: HoldAmount): Promise<HoldRefusal | null> {
    return this.#authorizer.raise(hold, amount)
  }

  end(hold: OpenHold, ending: EndInput): Promise<void> {
    return this.#closer.end(hold, ending)
  }

  flush(userId?: number): Promise<void> {
    return this.#closer.flush(userId)
  }

  sync(): Promise<void> {
    return this.#sync.sync()
  }

  /** Another node is short of this account: the next batch releases what is free of its lease. */
  revoke(account: Account) {
    this.#state.leases.revoke(account, this.#deps.clock.monotonic())
    this.#sync.schedule(0)
  }

  /** Stops authorizing requests, voids open requests and releases all leases. */
  close(): Promise<void> {
    return (this.#closing ??= this.#finish())
  }

  async #finish(): Promise<void> {
    this.#authorizer.close()
    for (const hold of this.#state.open) void this.end(hold, unanswered(END_REASON.interrupted))
    await this.#sync.flushAll()
    this.#sync.stop()
    this.#leaks.stop()
    const { name, files } = this.#state.epoch
    await this.#deps.database.closeEpoch({ epoch: name, type: 'finished', voids: [] })
    await files.journal.close()
  }
}
