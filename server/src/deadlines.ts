import type { Clock, Timer } from './clock.ts'
import { Slots } from './slots.ts'

/** What ends at a moment, unless it is over before. */
export type Due = {
  /** Milliseconds of the monotonic clock. `Deadlines` writes it. */
  dueAt: number
  /** The slot in `Deadlines`, which writes it; `NOT_DUE` while no deadline is set. */
  dueSlot: number
  readonly onDue: () => void
}

export const NOT_DUE = -1

/**
 * Deadlines of which few are reached, such as those that every request sets. They share one timer,
 * since Node.js allocates some 200 bytes for each timer. The process may exit before they are
 * reached.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #waiting = new Slots<Due>()
  #timer: Timer | null = null
  #wakesAt = Infinity

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `onDue` once after `ms` milliseconds. Replaces the deadline that was set before. */
  set(due: Due, ms: number) {
    this.clear(due)
    due.dueAt = this.#clock.monotonic() + ms
    due.dueSlot = this.#waiting.add(due)
    if (due.dueAt < this.#wakesAt) this.#wakeAfter(ms)
  }

  clear(due: Due) {
    if (due.dueSlot === NOT_DUE) return
    this.#waiting.remove(due.dueSlot)
    due.dueSlot = NOT_DUE
  }

  #wakeAfter(ms: number) {
    this.#timer?.close()
    this.#wakesAt = this.#clock.monotonic() + ms
    this.#timer = this.#clock.after(ms, () => this.#wake())
    this.#timer.unref()
  }

  #wake() {
    const now = this.#clock.monotonic()
    this.#wakesAt = Infinity
    const reached: Due[] = []
    let nextAt = Infinity
    for (const due of this.#waiting) {
      if (due.dueAt <= now) reached.push(due)
      else nextAt = Math.min(nextAt, due.dueAt)
    }
    if (nextAt < Infinity) this.#wakeAfter(nextAt - now)
    for (const due of reached) {
      // Another one may have ended or renewed it.
      if (due.dueSlot === NOT_DUE || due.dueAt > now) continue
      this.clear(due)
      due.onDue()
    }
  }
}
