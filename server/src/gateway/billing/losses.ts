import type { Logger } from 'pino'
import { NANO_DOLLARS } from '@tollgate/contract'
import type { Clock } from '../../clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import { isFirstLossAlert, type LossAlert } from '../../store/loss-alerts.ts'
import { enqueue } from '../../store/outbox.ts'
import { storableText } from '../../store/storable-text.ts'

const DAY_MS = 86_400_000
/** Bounds the memory, because callers of a pinned channel choose the names. */
const ALERTS_MAX = 1000
const NAME_LENGTH_MAX = 200

/** A request that cost the operator more than its caller pays. */
export type SoldAtLoss = {
  readonly model: string
  readonly channelId: number
  /** In dollars. */
  readonly charge: number
  /** In nano-dollars. */
  readonly cost: number
}

/** Alerts the operator of losses, once a day for each model and channel. */
export class Losses {
  readonly #deps: { database: Database; log: Logger; clock: Clock }
  #day = 0
  readonly #known = new Set<string>()
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: { database: Database; log: Logger; clock: Clock }) {
    this.#deps = deps
  }

  report(sold: SoldAtLoss) {
    const day = Math.floor(this.#deps.clock.now() / DAY_MS)
    if (day !== this.#day) this.#known.clear()
    this.#day = day
    const key = `${sold.channelId} ${sold.model}`
    if (this.#known.has(key) || this.#known.size >= ALERTS_MAX) return
    this.#known.add(key)
    this.#writing = this.#writing.then(() => this.#write(sold, day))
  }

  /** Resolves when the alerts are written. */
  flushed(): Promise<void> {
    return this.#writing
  }

  async #write({ model, channelId, charge, cost }: SoldAtLoss, day: number) {
    const { database, log, clock } = this.#deps
    const name = storableText(model, NAME_LENGTH_MAX)
    const alert: LossAlert = { day, model: name, channelId }
    const detail = `#${channelId}: $${dollars(charge)} < $${dollars(cost / NANO_DOLLARS)}`
    const event = 'sold_at_loss'
    const write = async (tx: Tx) => {
      if (!(await isFirstLossAlert(tx, alert))) return
      const now = Math.floor(clock.now() / 1000)
      await enqueue(tx, { type: 'price-alert', event, name, detail }, now)
    }
    await database.transaction(write).catch((error: unknown) => {
      log.error({ error }, 'a request sold below cost could not be reported')
    })
  }
}

const dollars = (amount: number) => amount.toFixed(9).replace(/\.?0+$/, '')
