import type { Clock } from '../clock.ts'
import type { FakeClock } from '../testing/fake-clock.ts'

/** The wall clock of a machine, which somebody may set. */
export type WallClock = { aheadMs: number }

/** When all simulations begin: a Saturday, half an hour before a day, and so a budget's period, ends. */
export const BEGIN_MS = Date.UTC(2026, 10, 21, 23, 30)

/**
 * One process of the product. Whatever it waits for, time as well as answers, comes through here, so that
 * it can be killed and stopped: to a dead process nothing comes any more, to a stopped one when it wakes.
 */
export class Process {
  readonly name: string
  readonly clock: Clock
  readonly #timeline: FakeClock
  #isAlive = true
  #missed: (() => void)[] | null = null
  /** By so much its clocks stood still, as those of a paused virtual machine do. */
  #pausedMs = 0
  #ranMs = 0
  /** When it was last started, stopped or woken. */
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

  /** How long it has run; a moment of its life, whatever clock it was in. */
  get ranMs(): number {
    return this.#missed === null
      ? this.#ranMs + this.#timeline.monotonic() - this.#changedAt
      : this.#ranMs
  }

  after(milliseconds: number, run: () => void): () => void {
    let isCancelled = false
    const deliver = () => {
      if (isCancelled || !this.#isAlive) return
      if (this.#missed === null) run()
      else this.#missed.push(deliver)
    }
    const cancel = this.#timeline.after(milliseconds, deliver)
    return () => {
      isCancelled = true
      cancel()
    }
  }

  /** Resolves so much later, if the process lives then. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve))
  }

  kill() {
    if (!this.#isAlive) return
    this.stop()
    this.#isAlive = false
    for (const run of this.#onDeath) run()
  }

  /** At once, in what the system does for a process that is gone. */
  onDeath(run: () => void) {
    this.#onDeath.push(run)
  }

  stop() {
    if (this.#missed !== null) return
    this.#ranMs = this.ranMs
    this.#changedAt = this.#timeline.monotonic()
    this.#missed = []
  }

  /** `isPause`: its monotonic clock stood still as well. */
  wake({ isPause }: { isPause: boolean }) {
    const missed = this.#missed
    if (missed === null || !this.#isAlive) return
    if (isPause) this.#pausedMs += this.#timeline.monotonic() - this.#changedAt
    this.#missed = null
    this.#changedAt = this.#timeline.monotonic()
    for (const run of missed) this.#timeline.after(0, run)
  }
}
