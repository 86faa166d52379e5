/** A refused key is tried again after this: an account may have been topped up. */
const REFUSED_MS = 600_000
/** For a key that is limited and was not told for how long. */
const LIMITED_MS = 5000
const LIMITED_MS_MAX = 3_600_000
/** More than a channel is asked for; the one that a key was limited for longest ago is forgotten. */
const MODELS_MAX = 1000

type Clock = { now: () => number }

/** Until when each key is left out. */
type Until = Map<string, number>

/**
 * The keys of one channel, used in turn. One that was refused is left out for a while, and one that is limited for the
 * model it is limited for, by a clock that never jumps. Models have the names that the channel gives them.
 */
export class KeyRing {
  readonly #all: readonly string[]
  readonly #clock: Clock
  readonly #refusedUntil: Until = new Map()
  readonly #limitedUntil = new Map<string, Until>()
  #turn = 0

  /** At least one key. */
  constructor(keys: readonly string[], clock: Clock = performance) {
    this.#all = keys
    this.#clock = clock
  }

  /** Where all are left out, the one whose time is over first. */
  next(model: string): string {
    const usable = this.#all.length === 1 ? this.#all : this.#usable(model)
    const key = usable[this.#turn % usable.length] ?? this.#soonest(model)
    this.#turn += 1
    return key
  }

  /** Whether another key than this one is in use. */
  hasOther(key: string, model: string): boolean {
    return this.#all.length > 1 && this.#usable(model).some((other) => other !== key)
  }

  /** True when that was the last one that had not been refused; then all are tried again. */
  refuse(key: string): boolean {
    const now = this.#clock.now()
    this.#refusedUntil.set(key, now + REFUSED_MS)
    const isLast = this.#all.every((other) => (this.#refusedUntil.get(other) ?? 0) > now)
    if (isLast) this.#refusedUntil.clear()
    return isLast
  }

  /** A shorter time that is told later does not end a longer one. */
  limit(key: string, model: string, retryAfterMs: number | null) {
    const outMs = Math.min(retryAfterMs ?? LIMITED_MS, LIMITED_MS_MAX)
    const limited: Until = this.#limitedUntil.get(model) ?? new Map()
    limited.set(key, Math.max(limited.get(key) ?? 0, this.#clock.now() + outMs))
    this.#limitedUntil.delete(model)
    this.#limitedUntil.set(model, limited)
    const [oldest] = this.#limitedUntil.keys()
    if (this.#limitedUntil.size > MODELS_MAX && oldest !== undefined) {
      this.#limitedUntil.delete(oldest)
    }
  }

  /** How long to leave the channel alone after one of its keys was told to wait so long: until the first is free. */
  leaveAloneMs(model: string, askedMs: number | null): number | null {
    if (this.#all.length === 1) return askedMs
    const free = Math.min(...this.#all.map(this.#outUntil(model)))
    return Math.max(0, free - this.#clock.now())
  }

  #usable(model: string): readonly string[] {
    if (this.#refusedUntil.size === 0 && !this.#limitedUntil.has(model)) return this.#all
    const now = this.#clock.now()
    const outUntil = this.#outUntil(model)
    return this.#all.filter((key) => outUntil(key) <= now)
  }

  #outUntil(model: string): (key: string) => number {
    const limited = this.#limitedUntil.get(model)
    return (key) => Math.max(this.#refusedUntil.get(key) ?? 0, limited?.get(key) ?? 0)
  }

  #soonest(model: string): string {
    const [first, ...others] = this.#all
    if (first === undefined) throw new Error('a channel has no key')
    const outUntil = this.#outUntil(model)
    return others.reduce(
      (soonest, key) => (outUntil(key) < outUntil(soonest) ? key : soonest),
      first,
    )
  }
}
