import type { Clock, Timer } from '../../src/clock.ts'
import { waitUntil } from '../harness/wait-until.ts'

type Due = { readonly ms: number; at: number; readonly run: () => void }

/** A process has run for a while when its first request arrives. */
const UPTIME_MS = 60_000

/** Time that moves only when a test advances it. */
export class FakeClock implements Clock {
  #elapsedMs = 0
  #wallMs: number
  #due: Due[] = []
  #runsWhatIsDue = false

  constructor(wallMs = 1_790_000_000_000) {
    this.#wallMs = wallMs
  }

  /** For code that also waits for sockets: what is due at once runs without `advance`. */
  static withSockets(): FakeClock {
    const clock = new FakeClock(Date.now() - UPTIME_MS)
    clock.#elapsedMs = UPTIME_MS
    clock.#runsWhatIsDue = true
    return clock
  }

  readonly now = () => this.#wallMs + this.#elapsedMs
  readonly monotonic = () => this.#elapsedMs
  readonly soon = (run: () => void) => {
    this.after(0, run)
  }

  readonly after = (ms: number, run: () => void): Timer => {
    const due: Due = { ms, at: 0, run }
    let isClosed = false
    const remove = () => {
      this.#due = this.#due.filter((other) => other !== due)
    }
    const start = () => {
      due.at = this.#elapsedMs + Math.max(0, ms)
      const index = this.#due.findLastIndex(({ at }) => at <= due.at)
      this.#due.splice(index + 1, 0, due)
      if (ms <= 0 && this.#runsWhatIsDue) setImmediate(() => void this.advance(0))
    }
    start()
    return {
      close: () => {
        isClosed = true
        remove()
      },
      refresh: () => {
        if (isClosed) return
        remove()
        start()
      },
      unref: () => {},
    }
  }

  /** Runs what falls due in these milliseconds, in order, including what becomes due meanwhile. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms
    await promisesSettle()
    for (let next = this.#due[0]; next && next.at <= end; next = this.#due[0]) {
      this.#due.shift()
      this.#elapsedMs = Math.max(this.#elapsedMs, next.at)
      next.run()
      await promisesSettle()
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, end)
  }

  /** Lets this time pass once something waits for it. */
  async passOnceWaited(ms: number): Promise<void> {
    await waitUntil(async () => this.isWaitedFor(ms))
    await this.advance(ms)
  }

  /** Whether something waits that began to wait for this time. */
  isWaitedFor(ms: number): boolean {
    return this.#due.some((due) => due.ms === ms)
  }

  /** Like setting the machine's clock by hand. */
  setWall(wallMs: number) {
    this.#wallMs = wallMs - this.#elapsedMs
  }
}

const promisesSettle = () => new Promise((resolve) => setImmediate(resolve))
