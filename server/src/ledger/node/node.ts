/*
 * This process's side of the ledger. Holds come out of leases, promises go into the journal, and
 * batches carry everything to the database, one batch at a time.
 *
 * A request waits for a batch only when this epoch leases too little for its hold; otherwise the
 * request waits for neither the database nor, by default, an fsync. Ended requests are in the
 * journal, whatever happens to the database.
 */
import { END_REASON, type Seconds } from '@tollgate/contract'
import { type Account, assertQuota } from '../account.ts'
import type { Batch } from '../batch.ts'
import type { Clock } from '../clock.ts'
import { type Holding, Leases } from '../leases/leases.ts'
import { Waiting } from '../leases/waiting.ts'
import { type HoldAmount, type HoldRefusal, LedgerAway, type RequestContext } from '../ledger.ts'
import { createRecord, type Ending, type EndRecord, unanswered } from '../record.ts'
import {
  ENDS_MAX,
  finishEpoch,
  isBehindDatabase,
  openEpoch,
  placeOf,
  type Epoch,
  type EpochDeps,
  setPosition,
  journalMoves,
  advance,
  appendRecord,
} from './epoch.ts'
import { detectLeaks } from './leak-detector.ts'
import { heldBy, type OpenHold } from './open-hold.ts'

export type NodeDeps = EpochDeps & {
  revoke: (account: Account) => void
  clock: Clock
}

const BATCH_MS = 100
const HEARTBEAT_MS = 2000
/** Batch interval while requests wait for other nodes to release their leases. */
const REVOKING_BATCH_MS = 50
/** Pause between two batches that callers of `sync` requested. */
const REQUESTED_BATCH_MS = 20
const BACK_OFF_MS = [100, 200, 500, 1000]
/** Upper bound on ends per batch while requests wait for a lease. */
const ENDS_MAX_WAITED_FOR = 100
/** Well below the 15 minutes after which another node may close a silent epoch. */
const SILENT_MS_MAX = 300_000
const PENDING_RECORDS_MAX = 200_000
const PENDING_BYTES_MAX = 1024 ** 3

export class LedgerNode {
  readonly #deps: NodeDeps
  readonly #waiting: Waiting
  readonly #open = new Set<OpenHold>()
  #epoch: Epoch
  /** Retired epochs of this process, until their last record is applied. */
  #retired: Epoch[] = []
  #leases = new Leases()
  #acknowledged: { monotonic: number; wall: number }
  #databaseAheadSeconds = 0
  #isUncertain = false
  #failures = 0
  #isSending = false
  #isClosing = false
  #isClosed = false
  #closing: Promise<void> | null = null
  #lastBatch = -Infinity
  #due = Infinity
  #cancelBatch = () => {}
  readonly #watch: ReturnType<typeof detectLeaks>
  #callers: (() => void)[] = []

  private constructor(deps: NodeDeps, epoch: Epoch) {
    this.#deps = deps
    this.#epoch = epoch
    this.#waiting = new Waiting(deps.revoke)
    this.#acknowledged = this.#moment()
    this.#schedule(HEARTBEAT_MS)
    this.#watch = detectLeaks(deps, {
      open: this.#open,
      end: (hold) => void this.end(hold, unanswered('never_ended')),
    })
  }

  static async open(deps: NodeDeps): Promise<LedgerNode> {
    return new LedgerNode(deps, await openEpoch(deps))
  }

  get epoch(): string {
    return this.#epoch.name
  }

  get running(): number {
    return this.#open.size
  }

  /** While true, at most what is leased already can be held. */
  get isAway(): boolean {
    return this.#failures > 0 || this.#isSilent || !this.#epoch.files.journal.isSound()
  }

  /** Unix seconds by the database's clock, estimated from the last batch. */
  get databaseSeconds(): Seconds {
    return Math.floor(this.#deps.clock.now() / 1000) + this.#databaseAheadSeconds
  }

  /** Opens a request's hold; the owner's account comes first. May throw `LedgerAway`. */
  async authorize(
    context: RequestContext,
    accounts: readonly Account[],
    amount: HoldAmount,
  ): Promise<OpenHold | HoldRefusal> {
    if (this.#hasClockJumped) await this.sync()
    this.#assertReady()
    const { clock } = this.#deps
    const holdings = this.#leases.holdings(accounts)
    const refusal = await this.#acquire(holdings, amount)
    if (refusal !== null) return refusal
    if (this.#isClosing) {
      this.#leases.settle(holdings, 0, clock.monotonic())
      throw stopping()
    }
    const hold: OpenHold = { context, holdings, since: clock.monotonic(), ended: null }
    this.#open.add(hold)
    this.#begin(hold)
    try {
      await this.#epoch.files.journal.written()
    } catch (error) {
      void this.end(hold, unanswered('journal_away'))
      throw new LedgerAway('the journal cannot be written', { cause: error })
    }
    return hold
  }

  /** Raises the hold of a running request, up to `amount.max` in total. */
  async raise(hold: OpenHold, { min, max }: HoldAmount): Promise<HoldRefusal | null> {
    assertQuota(max, 'the maximum of a hold')
    const isNeeded = () => hold.ended === null && max > heldBy(hold)
    if (isNeeded() && this.#hasClockJumped && this.#failures === 0) await this.sync()
    if (!isNeeded()) return null
    this.#leases.refresh(hold.holdings)
    // A raise within the lease writes nothing, so the state of the journal does not matter.
    if (this.#isSilent || this.#leases.reach(hold.holdings) < max) this.#assertReady()
    const refusal = await this.#acquire(hold.holdings, { min, max })
    if (!this.#open.has(hold)) this.#leases.settle(hold.holdings, 0, this.#deps.clock.monotonic())
    return refusal
  }

  /** Ends a request, once. Resolves when the end can no longer be lost. Throws only for a bug. */
  end(hold: OpenHold, ending: Ending): Promise<void> {
    if (hold.ended !== null) return hold.ended
    const { clock } = this.#deps
    const { context, holdings } = hold
    const at = Math.floor(clock.now() / 1000)
    const record = createRecord(context, ending, { at, held: heldBy(hold), parts: [] })
    const parts = this.#leases.settle(holdings, record.cost, clock.monotonic())
    this.#open.delete(hold)
    hold.ended = this.#write({ ...record, parts })
    return hold.ended
  }

  /** Resolves when every ended request, or every one of this user, is in the database. */
  async flush(userId?: number): Promise<void> {
    const epochs = [...this.#retired, this.#epoch].filter(({ pending }) =>
      userId === undefined ? pending.hasEnds : pending.hasEndsOf(userId),
    )
    if (epochs.length === 0) return
    const applied = Promise.all(epochs.map(({ pending }) => pending.applied()))
    void this.sync()
    await applied
  }

  /** Resolves after a batch that started after this call, whether the batch succeeded or not. */
  sync(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const ended = new Promise<void>((resolve) => this.#callers.push(resolve))
    this.#schedule(Math.max(0, this.#lastBatch + REQUESTED_BATCH_MS - this.#deps.clock.monotonic()))
    return ended
  }

  /** Another node is short of this account. */
  revoke(account: Account) {
    this.#leases.revoke(account, this.#deps.clock.monotonic())
    this.#schedule(0)
  }

  /** Stops admitting requests, voids open requests and returns all leases. */
  close(): Promise<void> {
    return (this.#closing ??= this.#finish())
  }

  async #finish(): Promise<void> {
    this.#isClosing = true
    this.#waiting.rejectAll(stopping())
    for (const hold of this.#open) void this.end(hold, unanswered(END_REASON.interrupted))
    // Also waits for the batch in progress, which would find the epoch closed and open a new one.
    do {
      await this.sync()
    } while (this.#retired.length > 0 || this.#epoch.pending.hasEnds || this.#isUncertain)
    this.#cancelBatch()
    this.#watch.stop()
    // Ignores peers from here on: a batch would find this epoch closed and open a new one.
    this.#isClosed = true
    const { name, files } = this.#epoch
    await this.#deps.database.closeEpoch({ epoch: name, type: 'finished', voids: [] })
    await files.journal.close()
  }

  #moment() {
    const { clock } = this.#deps
    return { monotonic: clock.monotonic(), wall: clock.now() }
  }

  /**
   * Time since the database last answered, by both clocks: a suspended machine stops one of them.
   */
  #silentMs(): [monotonic: number, wall: number] {
    const { monotonic, wall } = this.#moment()
    return [monotonic - this.#acknowledged.monotonic, Math.abs(wall - this.#acknowledged.wall)]
  }

  /** Throws unless a promise made now can be kept. */
  #assertReady() {
    if (this.#isClosing) throw stopping()
    const { journal } = this.#epoch.files
    if (!journal.isSound()) throw new LedgerAway('the journal cannot be written')
    const { bytes, records } = journal.pending()
    if (records > PENDING_RECORDS_MAX || bytes > PENDING_BYTES_MAX) {
      throw new LedgerAway('too much is waiting for the database')
    }
    if (this.#isSilent) throw new LedgerAway('the database has been away for too long')
  }

  /**
   * Only the wall clock passed the limit: the machine may have slept, and its epoch may be closed.
   */
  get #hasClockJumped(): boolean {
    const [monotonic, wall] = this.#silentMs()
    return monotonic <= SILENT_MS_MAX && wall > SILENT_MS_MAX
  }

  get #isSilent(): boolean {
    return Math.max(...this.#silentMs()) > SILENT_MS_MAX
  }

  /**
   * Synchronous if the leases suffice: nothing may come between the hold and its journal record.
   */
  #acquire(
    holdings: readonly Holding[],
    amount: HoldAmount,
  ): Promise<HoldRefusal | null> | HoldRefusal | null {
    const { max } = amount
    if (max === 0) return null
    if (this.#leases.reach(holdings) >= max) {
      this.#leases.hold(holdings, max, this.#deps.clock.monotonic())
      return null
    }
    const refusal = this.#waiting.wait(holdings, amount)
    this.#schedule(0)
    return refusal
  }

  #begin({ context }: OpenHold) {
    const at = Math.floor(this.#deps.clock.now() / 1000)
    appendRecord(this.#epoch, { kind: 'open', context, at })
  }

  /** Resolves when the journal has the record or, if the journal fails, the database does. */
  async #write(record: EndRecord): Promise<void> {
    const { journal } = this.#epoch.files
    const { pending } = this.#epoch
    appendRecord(this.#epoch, record)
    this.#schedule(journal.isSound() ? BATCH_MS : 0)
    try {
      await journal.written()
    } catch {
      this.#schedule(0)
      await pending.applied()
    }
  }

  #schedule(milliseconds: number) {
    if (this.#isSending || this.#isClosed) return
    const { clock } = this.#deps
    const backOff = this.#failures === 0 ? 0 : backOffMs(this.#failures)
    const due = clock.monotonic() + Math.max(milliseconds, backOff)
    if (due >= this.#due) return
    this.#due = due
    this.#cancelBatch()
    this.#cancelBatch = clock.after(Math.max(milliseconds, backOff), () => {
      this.#due = Infinity
      void this.#sendBatch()
    })
  }

  async #sendBatch() {
    this.#isSending = true
    this.#lastBatch = this.#deps.clock.monotonic()
    const callers = this.#callers
    this.#callers = []
    try {
      if (this.#isUncertain) await this.#reread()
      await this.#finishRetired()
      await this.#tell()
      this.#failures = 0
    } catch (error) {
      this.#isUncertain = true
      this.#failures += 1
      if (this.#failures === 1) {
        this.#deps.log.error({ error }, 'the ledger cannot reach the database; trying again')
      }
      this.#waiting.rejectAll(new LedgerAway('the database does not answer', { cause: error }))
    }
    this.#isSending = false
    for (const resolve of callers) resolve()
    this.#schedule(this.#pauseMs())
  }

  #pauseMs(): number {
    if (this.#isUncertain && this.#failures === 0) return 0
    if (this.#waiting.isNew) return 0
    if (this.#callers.length > 0) return REQUESTED_BATCH_MS
    if (!this.#waiting.isEmpty) return REVOKING_BATCH_MS
    if (this.#retired.length > 0) return BATCH_MS
    return this.#epoch.pending.hasEnds ? BATCH_MS : HEARTBEAT_MS
  }

  async #tell() {
    const { database, clock } = this.#deps
    const epoch = this.#epoch
    const at = clock.monotonic()
    const waitedFor = this.#waiting.wanted()
    const needed = this.#waiting.leaseRequests(this.#leases, at)
    const { to, records } = epoch.pending.next(needed.length > 0 ? ENDS_MAX_WAITED_FOR : ENDS_MAX)
    const leaseRequests = [...needed, ...this.#leases.requestsAhead(records, at, waitedFor)]
    const releases = this.#leases.releaseIdle(at, waitedFor)
    const batch: Batch = { ...placeOf(epoch), to, records, releases, leaseRequests }
    // Journal first: to recovery, an end that only the database has looks like an open request.
    if (records.length > 0) await epoch.files.journal.written().catch(() => {})
    const sent = this.#moment()
    const outcome = await database.applyBatch(batch)
    if (outcome.type !== 'done') {
      this.#isUncertain = true
      return
    }
    this.#databaseAheadSeconds = outcome.databaseSeconds - Math.floor(clock.now() / 1000)
    this.#acknowledged = sent
    this.#watch.report(this.#leases.applied(batch, outcome.accounts))
    advance(epoch, to)
    this.#waiting.serve(this.#leases, clock.monotonic())
  }

  /** Adopts the database's state of this epoch, which overrides what this process assumed. */
  async #reread() {
    const { database } = this.#deps
    const epoch = this.#epoch
    const state = await database.readEpoch(epoch.name)
    if (state === null || state.isClosed || isBehindDatabase(epoch, state)) await this.#rollEpoch()
    else {
      await setPosition(this.#deps, epoch, state)
      this.#leases.restart(state.accounts, epoch.pending.parts())
      for (const { holdings } of this.#open) this.#leases.refresh(holdings)
    }
    this.#isUncertain = false
  }

  /** Retires an epoch that is over. Running requests continue in a new epoch, with nothing held. */
  async #rollEpoch() {
    const old = this.#epoch
    const next = await openEpoch(this.#deps)
    const at = Math.floor(this.#deps.clock.now() / 1000)
    const leases = new Leases()
    const moved = [...this.#open]
    for (const { context, holdings } of moved) {
      appendRecord(next, { kind: 'open', context, at })
      leases.refresh(holdings)
    }
    this.#retired.push(old)
    this.#epoch = next
    this.#leases = leases
    this.#deps.log.warn({ epoch: old.name }, 'the epoch is over; a new epoch continues')
    const requestIds = moved.map(({ context }) => context.requestId)
    await journalMoves(old, { to: next, requestIds })
  }

  async #finishRetired() {
    for (const retired of this.#retired) {
      await finishEpoch(this.#deps, retired)
      this.#retired = this.#retired.filter((other) => other !== retired)
    }
  }
}

const stopping = () => new LedgerAway('this node is stopping')

const backOffMs = (failures: number) =>
  BACK_OFF_MS.at(Math.min(failures, BACK_OFF_MS.length) - 1) ?? 0
