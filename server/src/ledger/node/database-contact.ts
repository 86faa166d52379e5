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
    return this.#isLong(this.#monotonicMs) || this.#isLong(this.#wallMs)
  }

  /**
   * Only the wall clock passed the limit: the machine may have slept, and its epoch may be closed.
   */
  get hasClockJumped(): boolean {
    return !this.#isLong(this.#monotonicMs) && this.#isLong(this.#wallMs)
  }

  moment(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() }
  }

  answer(sentAt: Moment, databaseSeconds: Seconds) {
    this.#answered = sentAt
    this.#aheadSeconds = databaseSeconds - Math.floor(this.#clock.now() / 1000)
  }

  #isLong(silentMs: number): boolean {
    return silentMs > SILENT_MS_MAX
  }

  /** Time since the database last answered. A suspended machine stops one of the clocks. */
  get #monotonicMs(): number {
    return this.#clock.monotonic() - this.#answered.monotonic
  }

  get #wallMs(): number {
    return Math.abs(this.#clock.now() - this.#answered.wall)
  }
}
