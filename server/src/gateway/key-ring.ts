/** A refused key is tried again after this: an account may have been topped up. */
const REFUSED_MS = 600_000
/** For a key that is limited and was not told for how long. */
const LIMITED_MS = 5000
const LIMITED_MS_MAX = 3_600_000

type Clock = { now: () => number }

/**
 * The keys of one channel, used in turn. One that was refused or limited is left out for a while, by a clock that never
 * jumps.
 */
export class KeyRing {
  readonly #all: readonly string[]
  readonly #clock: Clock
  readonly #refusedUntil = new Map<string, number>()
  readonly #limitedUntil = new Map<string, number>()
  #turn = 0

  /** At least one key. */
  constructor(keys: readonly string[], clock: Clock = performance) {
    this.#all = keys
    this.#clock = clock
  }

  /** Where all are left out, the one whose time is over first. */
  next(): string {
    const usable = this.#all.length === 1 ? this.#all : this.#usable()
    const key = usable[this.#turn % usable.length] ?? this.#soonest()
    this.#turn += 1
    return key
  }

  /** Whether another key than this one is in use. */
  hasOther(key: string): boolean {
    return this.#all.length > 1 && this.#usable().some((other) => other !== key)
  }

  /** True when that was the last one that had not been refused; then all are tried again. */
  refuse(key: string): boolean {
    const now = this.#clock.now()
    this.#refusedUntil.set(key, now + REFUSED_MS)
    const isLast = this.#all.every((other) => (this.#refusedUntil.get(other) ?? 0) > now)
    if (isLast) this.#refusedUntil.clear()
    return isLast
  }

  limit(key: string, retryAfterMs: number | null) {
    const outMs = Math.min(retryAfterMs ?? LIMITED_MS, LIMITED_MS_MAX)
    this.#limitedUntil.set(key, this.#clock.now() + outMs)
  }

  /** How long to leave the channel alone after one of its keys was told to wait so long: until the first is free. */
  leaveAloneMs(askedMs: number | null): number | null {
    if (this.#all.length === 1) return askedMs
    const free = Math.min(...this.#all.map((key) => this.#outUntil(key)))
    return Math.max(0, free - this.#clock.now())
  }

  #usable(): readonly string[] {
    if (this.#refusedUntil.size === 0 && this.#limitedUntil.size === 0) return this.#all
    const now = this.#clock.now()
    return this.#all.filter((key) => this.#outUntil(key) <= now)
  }

  #outUntil(key: string): number {
    return Math.max(this.#refusedUntil.get(key) ?? 0, this.#limitedUntil.get(key) ?? 0)
  }

  #soonest(): string {
    const [first, ...others] = this.#all
    if (first === undefined) throw new Error('a channel has no key')
    return others.reduce(
      (soonest, key) => (this.#outUntil(key) < this.#outUntil(soonest) ? key : soonest),
      first,
    )
  }
}
