import type { Clock } from '../../clock.ts'
import { keyFingerprint } from '../../upstream/channel-keys.ts'

/** Retry interval for refused keys: the account may have been topped up. */
const REFUSED_MS = 600_000
/** For limited keys without a Retry-After. */
const LIMITED_MS = 5000
const LIMITED_MS_MAX = 3_600_000
/** More models than a channel serves; the model limited longest ago is dropped. */
const MODELS_MAX = 1000

/** End of the cooldown by key. */
type Deadlines = Map<string, number>

/**
 * The keys of one channel, used round-robin. A refused key is skipped for a while; a limited key is
 * skipped only for the model it was limited for. Times are monotonic. Models have the channel's
 * names.
 */
export class KeyRing {
  readonly #all: readonly string[]
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #refusedUntil: Deadlines = new Map()
  readonly #limitedUntil = new Map<string, Deadlines>()
  readonly #ids = new Map<string, string>()
  #nextIndex = 0

  /** Needs at least one key. */
  constructor(keys: readonly string[], clock: Pick<Clock, 'monotonic'>) {
    this.#all = keys
    this.#clock = clock
  }

  get hasSeveral(): boolean {
    return this.#all.length > 1
  }

  get size(): number {
    return this.#all.length
  }

  /** How many keys are skipped because the provider refused them. */
  get refused(): number {
    if (this.#refusedUntil.size === 0) return 0
    const now = this.#clock.monotonic()
    return this.#all.filter((key) => (this.#refusedUntil.get(key) ?? 0) > now).length
  }

  /** The fingerprint of a key, for stores and log rows. */
  idOf(key: string): string {
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = keyFingerprint(key)
    this.#ids.set(key, id)
    return id
  }

  /**
   * Returns the key with the preferred id if that is free, else the next in turn, and the key that
   * is free first if all are cooling down.
   */
  next(model: string, preferredId: string | null = null): string {
    const usable = this.#all.length === 1 ? this.#all : this.#usable(model)
    const preferred =
      preferredId === null ? undefined : usable.find((key) => this.idOf(key) === preferredId)
    if (preferred !== undefined) return preferred
    const key = usable[this.#nextIndex % usable.length] ?? this.#soonest(model)
    this.#nextIndex += 1
    return key
  }

  hasOther(key: string, model: string): boolean {
    return this.#all.length > 1 && this.#usable(model).some((other) => other !== key)
  }

  /**
   * Returns true if every key is refused now; the refusals are then cleared so that all are
   * retried.
   */
  refuse(key: string): boolean {
    const now = this.#clock.monotonic()
    this.#refusedUntil.set(key, now + REFUSED_MS)
    const isLast = this.#all.every((other) => (this.#refusedUntil.get(other) ?? 0) > now)
    if (isLast) this.#refusedUntil.clear()
    return isLast
  }

  /** A later, shorter wait does not shorten an earlier one. */
  limit(key: string, model: string, retryAfterMs: number | null) {
    const cooldownMs = Math.min(retryAfterMs ?? LIMITED_MS, LIMITED_MS_MAX)
    const limited: Deadlines = this.#limitedUntil.get(model) ?? new Map()
    limited.set(key, Math.max(limited.get(key) ?? 0, this.#clock.monotonic() + cooldownMs))
    this.#limitedUntil.delete(model)
    this.#limitedUntil.set(model, limited)
    const [oldest] = this.#limitedUntil.keys()
    if (this.#limitedUntil.size > MODELS_MAX && oldest !== undefined) {
      this.#limitedUntil.delete(oldest)
    }
  }

  /**
   * Retry-after of the whole channel once a key was asked to wait `requestedMs`: the time until its
   * first key is free.
   */
  retryAfterMs(model: string, requestedMs: number | null): number | null {
    if (this.#all.length === 1) return requestedMs
    const free = Math.min(...this.#all.map(this.#cooldownUntil(model)))
    return Math.max(0, free - this.#clock.monotonic())
  }

  #usable(model: string): readonly string[] {
    if (this.#refusedUntil.size === 0 && !this.#limitedUntil.has(model)) return this.#all
    const now = this.#clock.monotonic()
    const cooldownUntil = this.#cooldownUntil(model)
    return this.#all.filter((key) => cooldownUntil(key) <= now)
  }

  #cooldownUntil(model: string): (key: string) => number {
    const limited = this.#limitedUntil.get(model)
    return (key) => Math.max(this.#refusedUntil.get(key) ?? 0, limited?.get(key) ?? 0)
  }

  #soonest(model: string): string {
    const [first, ...others] = this.#all
    if (first === undefined) throw new Error('a channel has no key')
    const cooldownUntil = this.#cooldownUntil(model)
    return others.reduce(
      (soonest, key) => (cooldownUntil(key) < cooldownUntil(soonest) ? key : soonest),
      first,
    )
  }
}
