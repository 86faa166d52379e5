/** The keys of one channel, used in turn. One that was refused is left out until all of them were. */
export class KeyRing {
  readonly #all: readonly string[]
  #usable: readonly string[]
  #turn = 0

  /** At least one key. */
  constructor(keys: readonly string[]) {
    this.#all = keys
    this.#usable = keys
  }

  get size(): number {
    return this.#all.length
  }

  next(): string {
    const key = this.#usable[this.#turn % this.#usable.length]
    if (key === undefined) throw new Error('a channel has no key')
    this.#turn += 1
    return key
  }

  /** True when that was the last one that had not been refused. */
  refuse(refused: string): boolean {
    this.#usable = this.#usable.filter((key) => key !== refused)
    if (this.#usable.length > 0) return false
    this.#usable = this.#all
    return true
  }
}
