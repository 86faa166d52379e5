import type { Clock } from '../../clock.ts'

/** An operator may replace what is behind an address. */
const MEMORY_MS = 60 * 60 * 1000

/** What a channel's address has answered to the Responses API, by trial. */
export class ApiMemory {
  readonly #clock: Clock
  #absentUntil = -Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get lacksResponses(): boolean {
    return this.#clock.monotonic() < this.#absentUntil
  }

  noteAbsent(): void {
    this.#absentUntil = this.#clock.monotonic() + MEMORY_MS
  }
}
