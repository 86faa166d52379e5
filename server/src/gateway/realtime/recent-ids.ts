/** Remembers the latest `max` ids. An empty id is not remembered. */
export class RecentIds {
  readonly #max: number
  readonly #ids = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    if (id === '') return
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > this.#max && oldest !== undefined) this.#ids.delete(oldest)
  }
}
