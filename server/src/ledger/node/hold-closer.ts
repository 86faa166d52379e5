import { createRecord, type EndInput, type EndRecord } from '../record.ts'
import { appendRecord } from './epoch.ts'
import { heldBy, type OpenHold } from './hold-state.ts'
import type { NodeDeps, NodeState } from './node-state.ts'
import { BATCH_MS, type SyncLoop } from './sync-loop.ts'

type HoldCloserDeps = Pick<NodeDeps, 'clock' | 'onEnd'> & {
  readonly state: NodeState
  readonly sync: SyncLoop
}

/** Closes holds: charges the leases in memory and writes the end to the journal. */
export class HoldCloser {
  readonly #deps: HoldCloserDeps
  /** The last write of the journal that ends wait for, and when these can no longer be lost. */
  #lastWrite: { readonly written: Promise<void>; readonly safe: Promise<void> } | null = null

  constructor(deps: HoldCloserDeps) {
    this.#deps = deps
  }

  /** Ends a request, once. Resolves when the end can no longer be lost. Throws only for a bug. */
  end(hold: OpenHold, ending: EndInput): Promise<void> {
    if (hold.ended !== null) return hold.ended
    const { clock, state, onEnd } = this.#deps
    const { context, holdings } = hold
    const at = Math.floor(clock.now() / 1000)
    // A record that cannot be created throws here, before any lease has changed.
    const record = createRecord(context, ending, { at, held: heldBy(hold), parts: [] })
    record.parts = state.leases.settle(holdings, record.cost, clock.monotonic())
    hold.ended = this.#write(record)
    // Last, so that a write that throws cannot free the slot twice.
    state.open.remove(hold.slot)
    onEnd?.(record)
    return hold.ended
  }

  /** Resolves when every ended request, or every one of this user, is in the database. */
  async flush(userId?: number): Promise<void> {
    const { state, sync } = this.#deps
    const epochs = [...state.retired, state.epoch].filter(({ pending }) =>
      userId === undefined ? pending.hasEnds : pending.hasEndsOf(userId),
    )
    if (epochs.length === 0) return
    const applied = Promise.all(epochs.map(({ pending }) => pending.whenApplied()))
    void sync.sync()
    await applied
  }

  /** Resolves when the journal has the record or, if the journal fails, the database does. */
  #write(record: EndRecord): Promise<void> {
    const { state, sync } = this.#deps
    const { pending, files } = state.epoch
    appendRecord(state.epoch, record)
    sync.schedule(files.journal.isSound() ? BATCH_MS : 0)
    const written = files.journal.written()
    // Ends of one write share its promise.
    if (this.#lastWrite?.written === written) return this.#lastWrite.safe
    const safe = written.catch(() => {
      sync.schedule(0)
      return pending.whenApplied()
    })
    this.#lastWrite = { written, safe }
    return safe
  }
}
