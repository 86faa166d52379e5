import type { Logger } from 'pino'
import { type InBoth, moneyText, NANO_DOLLARS } from '@tollgate/contract'
import type { Clock } from '../../clock.ts'
import { findChannelNames } from '../../store/channels.ts'
import type { Database, Tx } from '../../store/database.ts'
import { isFirstLossAlert, type LossAlert } from '../../store/loss-alerts.ts'
import { enqueue } from '../../store/outbox.ts'
import { storableText } from '../../store/storable-text.ts'

const DAY_MS = 86_400_000
/** Bounds the memory, because callers of a pinned channel choose the names. */
const ALERTS_MAX = 1000
const NAME_LENGTH_MAX = 200
const NANO_DIGITS = 9

/** A request that cost the operator more than its caller pays. */
export type SoldAtLoss = {
  readonly model: string
  readonly channelId: number
  /** What the caller paid for the request, in dollars. */
  readonly charge: number
  /** What the provider charges for the request, in nano-dollars. */
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

  async #write(sold: SoldAtLoss, day: number) {
    const { database, log, clock } = this.#deps
    const name = storableText(sold.model, NAME_LENGTH_MAX)
    const alert: LossAlert = { day, model: name, channelId: sold.channelId }
    const event = 'sold_at_loss'
    const write = async (tx: Tx) => {
      if (!(await isFirstLossAlert(tx, alert))) return
      const now = Math.floor(clock.now() / 1000)
      const names = await findChannelNames(tx, [sold.channelId])
      const { en: detail, zh: detail_zh } = detailOf(sold, names.get(sold.channelId))
      await enqueue(tx, { type: 'price-alert', event, name, detail, detail_zh }, now)
    }
    await database.transaction(write).catch((error: unknown) => {
      log.error({ error }, 'a request sold below cost could not be reported')
    })
  }
}

/** `name` is undefined if the channel was deleted meanwhile. */
function detailOf({ channelId, charge, cost }: SoldAtLoss, name: string | undefined): InBoth {
  const channel = name === undefined ? { en: '', zh: '' } : { en: ` "${name}"`, zh: `“${name}”` }
  const paid = `$${moneyText(charge, NANO_DIGITS)}`
  const billed = `$${moneyText(cost / NANO_DOLLARS, NANO_DIGITS)}`
  return {
    en: `Channel${channel.en} (#${channelId}): the provider charges ${billed} for one request, and the caller paid ${paid} for it.`,
    zh: `渠道${channel.zh}（#${channelId}）：服务商对一次请求收费 ${billed}，而用户仅支付 ${paid}。`,
  }
}
