import type { Timer } from '../../clock.ts'
import type { Batch } from '../batch.ts'
import { type LeaseDifference, Leases } from '../leases/leases.ts'
import { LedgerUnavailable } from '../ledger.ts'
import type { DatabaseContact } from './database-contact.ts'
import {
  advance,
  appendRecord,
  ENDS_MAX,
  finishEpoch,
  isBehindDatabase,
  journalMoves,
  openEpoch,
  epochPosition,
  setPosition,
} from './epoch.ts'
import type { NodeDeps, NodeState } from './node-state.ts'

/** Batch interval while ends wait for the database. */
export const BATCH_MS = 100
/** Batch interval of an idle node; shows other nodes that this node lives. */
const HEARTBEAT_MS = 2000
/** Batch interval while requests wait for other nodes to release their leases. */
const REVOKING_BATCH_MS = 50
/** Pause between two batches that callers of `sync` requested. */
const REQUESTED_BATCH_MS = 20
const BACK_OFF_MS = [100, 200, 500, 1000]
/** Upper bound on ends per batch while requests wait for a lease. */
const ENDS_MAX_WHILE_WAITING = 100

type SyncDeps = NodeDeps & {
  readonly state: NodeState
  readonly contact: DatabaseContact
  readonly reportDifferences: (differences: readonly LeaseDifference[]) => void
}

/**
 * Sends batches to the database, one at a time, and applies the answers to the epoch and its
 * leases.
 */
export class SyncLoop {
  readonly #deps: SyncDeps
  readonly #state: NodeState
  /** The outcome of a batch is unknown: the epoch is read again before the next batch. */
  #isUncertain = false
  #failures = 0
  #isSending = false
  #isStopped = false
  #lastBatchAt = -Infinity
  #dueAt = Infinity
  #timer: Timer | undefined
  /** Callers of `sync` that wait for the next batch. */
  #callers: (() => void)[] = []

  constructor(deps: SyncDeps) {
    this.#deps = deps
    this.#state = deps.state
    this.schedule(HEARTBEAT_MS)
  }

  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** Resolves after a batch that started after this call, whether the batch succeeded or not. */
  sync(): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    const ended = new Promise<void>((resolve) => this.#callers.push(resolve))
    const { clock } = this.#deps
    this.schedule(Math.max(0, this.#lastBatchAt + REQUESTED_BATCH_MS - clock.monotonic()))
    return ended
  }

  /** Sends the next batch within this time, or later after failures. */
  schedule(milliseconds: number) {
    if (this.#isSending || this.#isStopped) return
    const { clock } = this.#deps
    const delayMs = Math.max(milliseconds, backOffMs(this.#failures))
    const dueAt = clock.monotonic() + delayMs
    if (dueAt >= this.#dueAt) return
    this.#dueAt = dueAt
    this.#timer?.close()
    this.#timer = clock.after(delayMs, () => {
      this.#dueAt = Infinity
      void this.#run()
    })
  }

  /**
   * Resolves when the database has every end. Also waits for the batch in progress, which would
   * find a closed epoch and open a new one.
   */
  async flushAll(): Promise<void> {
    const state = this.#state
    do {
      await this.sync()
    } while (state.retired.length > 0 || state.epoch.pending.hasEnds || this.#isUncertain)
  }

  /** Ignores peers from here on: a batch would find a closed epoch and open a new one. */
  stop() {
    this.#isStopped = true
    this.#timer?.close()
  }

  async #run() {
    this.#isSending = true
    this.#lastBatchAt = this.#deps.clock.monotonic()
    const callers = this.#callers
    this.#callers = []
    try {
      if (this.#isUncertain) await this.#reread()
      await this.#finishRetired()
      await this.#sendBatch()
      this.#failures = 0
    } catch (error) {
      this.#isUncertain = true
      this.#failures += 1
      if (this.#failures === 1) {
        this.#deps.log.error({ error }, 'the ledger cannot reach the database; trying again')
      }
      const unavailable = new LedgerUnavailable('the database does not answer', { cause: error })
      this.#state.waiting.rejectAll(unavailable)
    }
    this.#isSending = false
    for (const resolve of callers) resolve()
    this.schedule(this.#pauseMs())
  }

  #pauseMs(): number {
    const { waiting, retired, epoch } = this.#state
    if (this.#isUncertain && this.#failures === 0) return 0
    if (waiting.hasUnrequested) return 0
    if (this.#callers.length > 0) return REQUESTED_BATCH_MS
    if (!waiting.isEmpty) return REVOKING_BATCH_MS
    return retired.length > 0 || epoch.pending.hasEnds ? BATCH_MS : HEARTBEAT_MS
  }

  async #sendBatch() {
    const { database, clock, contact, reportDifferences } = this.#deps
    const { epoch, leases, waiting } = this.#state
    const batch = this.#nextBatch()
    // Journal first: to recovery, an end that only the database has looks like an open request.
    if (batch.records.length > 0) await epoch.files.journal.written().catch(() => {})
    const sentAt = contact.moment()
    const outcome = await database.applyBatch(batch)
    if (outcome.type !== 'done') {
      this.#isUncertain = true
      return
    }
    contact.answer(sentAt, outcome.databaseSeconds)
    reportDifferences(leases.batchApplied(batch, outcome.accounts))
    advance(epoch, batch.to)
    waiting.grantOrRefuse(leases, clock.monotonic())
  }

  #nextBatch(): Batch {
    const { epoch, leases, waiting } = this.#state
    const at = this.#deps.clock.monotonic()
    const wanted = waiting.accounts()
    const needed = waiting.leaseRequests(leases, at)
    const endsMax = needed.length > 0 ? ENDS_MAX_WHILE_WAITING : ENDS_MAX
    const { to, records } = epoch.pending.next(endsMax)
    const leaseRequests = [...needed, ...leases.prefetchRequests(records, at, wanted)]
    const releases = leases.releaseIdle(at, wanted)
    return { ...epochPosition(epoch), to, records, releases, leaseRequests }
  }

  /** Adopts the database's state of this epoch, which overrides what this process assumed. */
  async #reread() {
    const { epoch, leases, open } = this.#state
    const state = await this.#deps.database.readEpoch(epoch.name)
    if (state === null || state.isClosed || isBehindDatabase(epoch, state)) await this.#rollEpoch()
    else {
      await setPosition(this.#deps, epoch, state)
      leases.restart(state.accounts, epoch.pending.leaseDebits())
      for (const { holdings } of open) leases.refresh(holdings)
    }
    this.#isUncertain = false
  }

  /** Retires an epoch that is over. Running requests continue in a new epoch, with nothing held. */
  async #rollEpoch() {
    const { clock, log } = this.#deps
    const state = this.#state
    const old = state.epoch
    const next = await openEpoch(this.#deps)
    const at = Math.floor(clock.now() / 1000)
    const leases = new Leases()
    const moved = [...state.open]
    for (const { context, holdings } of moved) {
      appendRecord(next, { kind: 'open', context, at })
      leases.refresh(holdings)
    }
    state.retired = [...state.retired, old]
    state.epoch = next
    state.leases = leases
    log.warn({ epoch: old.name, next: next.name }, 'the epoch is over; a new epoch continues')
    const requestIds = moved.map(({ context }) => context.requestId)
    await journalMoves(old, { to: next, requestIds })
  }

  async #finishRetired() {
    const state = this.#state
    for (const epoch of state.retired) {
      await finishEpoch(this.#deps, epoch)
      state.retired = state.retired.filter((other) => other !== epoch)
    }
  }
}

const backOffMs = (failures: number) =>
  failures === 0 ? 0 : (BACK_OFF_MS.at(Math.min(failures, BACK_OFF_MS.length) - 1) ?? 0)
