import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import { enqueue } from '../../store/outbox.ts'
import { storableText } from '../../store/storable-text.ts'
import { addUnpricedUse, type UnpricedUse } from '../../store/unpriced-models.ts'

type Outcome = 'charged' | 'rejected'

export const WRITE_AFTER_MS = 2000
/** Bounds the memory, because callers of a pinned channel choose the names. */
const MODELS_MAX = 1000
const NAME_LENGTH_MAX = 200

/**
 * Counts requests for models without a price, and alerts the operator once for each model across
 * all processes. The counts are written together after a pause.
 */
export class UnpricedModels {
  readonly #deps: { database: Database; log: Logger; clock: Clock }
  #counts = new Map<string, Record<Outcome, number>>()
  #isScheduled = false
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: { database: Database; log: Logger; clock: Clock }) {
    this.#deps = deps
  }

  count(model: string, outcome: Outcome) {
    const known = this.#counts.get(model)
    if (known !== undefined) {
      known[outcome]++
      return
    }
    if (this.#counts.size >= MODELS_MAX) return
    this.#counts.set(model, { charged: 0, rejected: 0, [outcome]: 1 })
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#deps.clock.after(WRITE_AFTER_MS, () => void this.flushed()).unref()
  }

  /** Writes the counts; resolves when they are written. */
  flushed(): Promise<void> {
    const uses = [...this.#counts].map(([model, counts]) => ({
      model: storableText(model, NAME_LENGTH_MAX),
      ...counts,
    }))
    this.#counts = new Map()
    this.#isScheduled = false
    if (uses.length > 0) this.#writing = this.#writing.then(() => this.#write(uses))
    return this.#writing
  }

  async #write(uses: readonly UnpricedUse[]) {
    const { database, log, clock } = this.#deps
    const now = Math.floor(clock.now() / 1000)
    // In the order of names, so that processes that write at once do not wait for each other.
    const ordered = uses.toSorted((a, b) => (a.model < b.model ? -1 : 1))
    const write = async (tx: Tx) => {
      for (const use of ordered) {
        if (!(await addUnpricedUse(tx, use, now))) continue
        const event = use.rejected > 0 ? 'unpriced_rejected' : 'unpriced_charged'
        await enqueue(tx, { type: 'price-alert', event, name: use.model, detail: '' }, now)
      }
    }
    await database.transaction(write).catch((error: unknown) => {
      log.error({ error }, 'requests for unpriced models could not be counted')
    })
  }
}
