/** Amounts added close together; they expire together, one window after the last of them. */
type Slice = { readonly beganAt: number; lastAt: number; amount: number }

/** Sum of the amounts of the last `windowMs`. All times are monotonic milliseconds. */
export class SlidingWindow {
  readonly #windowMs: number
  readonly #sliceMs: number
  /** Mutated in place: this object is long-lived and on the path of every request. */
  readonly #slices: Slice[] = []
  #used = 0

  constructor(windowMs: number, sliceMs: number) {
    this.#windowMs = windowMs
    this.#sliceMs = sliceMs
  }

  used(at: number): number {
    this.#forget(at)
    return this.#used
  }

  /** Time until `amount` fits under `max`; 0 if it fits now. */
  waitMs({ max, amount }: { max: number; amount: number }, at: number): number {
    this.#forget(at)
    let remaining = this.#used
    if (remaining + amount <= max) return 0
    for (const slice of this.#slices) {
      remaining -= slice.amount
      if (remaining + amount <= max) return slice.lastAt + this.#windowMs - at
    }
    return this.#windowMs
  }

  resetMs(at: number): number {
    this.#forget(at)
    const newest = this.#slices.at(-1)
    return newest === undefined ? 0 : newest.lastAt + this.#windowMs - at
  }

  /** Adds to the newest slice, or to a new one if that slice is older than `sliceMs`. */
  add(amount: number, at: number) {
    this.#forget(at)
    const newest = this.#slices.at(-1)
    if (newest === undefined || at >= newest.beganAt + this.#sliceMs) {
      this.#slices.push({ beganAt: at, lastAt: at, amount })
    } else {
      newest.amount += amount
      newest.lastAt = at
    }
    this.#used += amount
  }

  /** Subtracts from the slice of `takenAt` unless it has expired. */
  subtract(amount: number, takenAt: number) {
    const slice = this.#slices.find(
      ({ beganAt, lastAt }) => beganAt <= takenAt && takenAt <= lastAt,
    )
    if (slice === undefined) return
    const subtracted = Math.min(amount, slice.amount)
    slice.amount -= subtracted
    this.#used -= subtracted
  }

  #forget(at: number) {
    let oldest = this.#slices[0]
    while (oldest !== undefined && oldest.lastAt + this.#windowMs <= at) {
      this.#used -= oldest.amount
      this.#slices.shift()
      oldest = this.#slices[0]
    }
  }
}
