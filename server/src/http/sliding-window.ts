/** Amounts that came close together; they are forgotten together, a window after the last of them. */
type Slice = { readonly beganAt: number; lastAt: number; amount: number }

/** What came within the last `windowMs`, all times in milliseconds of one clock that never goes back. */
export class SlidingWindow {
  readonly #windowMs: number
  readonly #sliceMs: number
  /** Changed in place: it outlives requests, and every request comes by here. */
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

  /** Until so much has been forgotten that `amount` is no more than `most` lets in; 0 when there is room now. */
  waitMs({ most, amount }: { most: number; amount: number }, at: number): number {
    this.#forget(at)
    let left = this.#used
    if (left + amount <= most) return 0
    for (const slice of this.#slices) {
      left -= slice.amount
      if (left + amount <= most) return slice.lastAt + this.#windowMs - at
    }
    return this.#windowMs
  }

  /** Until nothing of it counts any more. */
  resetMs(at: number): number {
    this.#forget(at)
    const newest = this.#slices.at(-1)
    return newest === undefined ? 0 : newest.lastAt + this.#windowMs - at
  }

  /** Counts in the newest slice, or in one of its own when that has lasted for long enough. */
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

  /** Takes out of what was counted at `takenAt`, unless that is forgotten. */
  takeOut(amount: number, takenAt: number) {
    const slice = this.#slices.find(
      ({ beganAt, lastAt }) => beganAt <= takenAt && takenAt <= lastAt,
    )
    if (slice === undefined) return
    const out = Math.min(amount, slice.amount)
    slice.amount -= out
    this.#used -= out
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
