import type { Seconds } from '@tollgate/contract'
import type { Clock } from '../../clock.ts'

/** Well below the 15 minutes after which another node may close a silent epoch. */
const SILENT_MS_MAX = 300_000

export type Moment = { readonly monotonic: number; readonly wall: number }

/** When the database last answered, and its clock. */
export class DatabaseContact {
  readonly #clock: Clock
  /** When the last batch that the database answered was sent. */
  #answered: Moment
  #aheadSeconds = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#answered = this.moment()
  }

  /** Unix seconds by the database's clock, estimated from the last batch. */
  get seconds(): Seconds {
    return Math.floor(this.#clock.now() / 1000) + this.#aheadSeconds
  }

  get isSilent(): boolean {
    return Math.max(...this.#silentMs()) > SILENT_MS_MAX
  }

  /**
   * Only the wall clock passed the limit: the machine may have slept, and its epoch may be closed.
   */
  get hasClockJumped(): boolean {
    const [monotonic, wall] = this.#silentMs()
    return monotonic <= SILENT_MS_MAX && wall > SILENT_MS_MAX
  }

  moment(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() }
  }

  answer(sentAt: Moment, databaseSeconds: Seconds) {
    this.#answered = sentAt
    this.#aheadSeconds = databaseSeconds - Math.floor(this.#clock.now() / 1000)
  }

  /**
   * Time since the database last answered, by both clocks: a suspended machine stops one of them.
   */
  #silentMs(): [monotonic: number, wall: number] {
    const { monotonic, wall } = this.moment()
    return [monotonic - this.#answered.monotonic, Math.abs(wall - this.#answered.wall)]
  }
}
