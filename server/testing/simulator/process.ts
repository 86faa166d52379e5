import type { Clock, Timer } from '../../src/clock.ts'
import type { FakeClock } from '../fakes/fake-clock.ts'

/** The wall clock of a machine, which may be set. */
export type WallClock = { aheadMs: number }

/**
 * Start of every simulation: a Saturday, half an hour before the end of a day, and thus of a daily
 * budget.
 */
export const BEGIN_MS = Date.UTC(2026, 10, 21, 23, 30)

/**
 * One process of the product. Everything it waits for, timers as well as responses, passes through
 * here, so that the process can be killed and stopped: a dead process receives nothing, a stopped
 * process receives everything when it wakes.
 */
export class Process {
  readonly name: string
  readonly clock: Clock
  readonly #timeline: FakeClock
  #isAlive = true
  #missed: (() => void)[] | null = null
  /** How long its clocks stood still, as in a paused virtual machine. */
  #pausedMs = 0
  #ranMs = 0
  /** When the process was last started, stopped or woken. */
  #changedAt: number
  #onDeath: (() => void)[] = []

  constructor(name: string, timeline: FakeClock, wall: WallClock) {
    this.name = name
    this.#timeline = timeline
    this.#changedAt = timeline.monotonic()
    this.clock = {
      now: () => BEGIN_MS + timeline.monotonic() + wall.aheadMs,
      monotonic: () => timeline.monotonic() - this.#pausedMs,
      soon: (run) => void this.after(0, run),
      after: (milliseconds, run) => this.after(milliseconds, run),
    }
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  get isStopped(): boolean {
    return this.#missed !== null
  }

  /** How long the process has run, independent of any clock. */
  get ranMs(): number {
    return this.#missed === null
      ? this.#ranMs + this.#timeline.monotonic() - this.#changedAt
      : this.#ranMs
  }

  after(milliseconds: number, run: () => void): Timer {
    let isClosed = false
    const deliver = () => {
      if (isClosed || !this.#isAlive) return
      if (this.#missed === null) run()
      else this.#missed.push(deliver)
    }
    const timer = this.#timeline.after(milliseconds, deliver)
    const close = () => {
      isClosed = true
      timer.close()
    }
    return { ...timer, close }
  }

  /** Resolves after this time, if the process is alive then. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve))
  }

  kill() {
    if (!this.#isAlive) return
    this.stop()
    this.#isAlive = false
    for (const run of this.#onDeath) run()
  }

  /** Runs synchronously on death, like what the operating system does for a dead process. */
  onDeath(run: () => void) {
    this.#onDeath.push(run)
  }

  stop() {
    if (this.#missed !== null) return
    this.#ranMs = this.ranMs
    this.#changedAt = this.#timeline.monotonic()
    this.#missed = []
  }

  /** `isPause`: the monotonic clock stood still too. */
  wake({ isPause }: { isPause: boolean }) {
    const missed = this.#missed
    if (missed === null || !this.#isAlive) return
    if (isPause) this.#pausedMs += this.#timeline.monotonic() - this.#changedAt
    this.#missed = null
    this.#changedAt = this.#timeline.monotonic()
    for (const run of missed) this.#timeline.after(0, run)
  }
}
