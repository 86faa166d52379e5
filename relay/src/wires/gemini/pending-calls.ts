/** Nine letters and digits, as the strictest provider (Mistral) requires. */
const madeId = (position: number) => `call${String(position).padStart(5, '0')}`

/** Function calls without a result yet. Google's clients may omit the ids of both. */
export class PendingCalls {
  readonly #idsByName = new Map<string, Set<string>>()
  readonly #ids = new Set<string>()
  #count = 0

  /** The call's id; generated if the client sent none. */
  addCall(given: string, name: string): string {
    this.#count += 1
    const id = given === '' ? madeId(this.#count) : given
    const ids = this.#idsByName.get(name) ?? new Set()
    this.#idsByName.set(name, ids.add(id))
    this.#ids.add(id)
    return id
  }

  /** Without an id, the result answers the first open call of its name. Null without a call. */
  takeCall(given: string, name: string): string | null {
    const ids = this.#idsByName.get(name)
    const [first = null] = ids ?? []
    const id = given === '' ? first : given
    if (id !== null) ids?.delete(id)
    return id !== null && this.#ids.has(id) ? id : null
  }
}
