import type { Clock } from '../../clock.ts'

const MIB = 1024 * 1024
/** The pause of the job that trims what is stored (`jobs/trim-stored-items.ts`). */
const PERIOD_MS = 600_000
const USER_BYTES_MAX = 64 * MIB
const BYTES_MAX = 256 * MIB

/** Bounds what a process stores between two trims, so that no user can fill the disk. */
export class StoreBudget {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #bytesOf = new Map<number, number>()
  #bytes = 0
  #startedAt: number
  #hasWarned = false

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
    this.#startedAt = clock.monotonic()
  }

  /** False, and takes nothing, if the user or the process has stored too much in this period. */
  take(owner: number, bytes: number): boolean {
    this.#renew()
    const ofUser = (this.#bytesOf.get(owner) ?? 0) + bytes
    if (ofUser > USER_BYTES_MAX || this.#bytes + bytes > BYTES_MAX) return false
    this.#bytesOf.set(owner, ofUser)
    this.#bytes += bytes
    return true
  }

  warnOnce(warn: () => void) {
    if (this.#hasWarned) return
    this.#hasWarned = true
    warn()
  }

  #renew() {
    const now = this.#clock.monotonic()
    if (now - this.#startedAt < PERIOD_MS) return
    this.#startedAt = now
    this.#bytesOf.clear()
    this.#bytes = 0
    this.#hasWarned = false
  }
}
