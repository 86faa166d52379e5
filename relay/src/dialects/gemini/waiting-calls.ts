/** As long, and of the same letters, as the strictest provider (Mistral) wants them. */
const madeId = (position: number) => `call${String(position).padStart(5, '0')}`

/** The calls of functions that wait for their results: Google's clients may leave out the ids of both. */
export class WaitingCalls {
  readonly #idsByName = new Map<string, Set<string>>()
  #count = 0

  /** The id of a call, made where none is given. */
  called(given: string, name: string): string {
    this.#count += 1
    const id = given === '' ? madeId(this.#count) : given
    const ids = this.#idsByName.get(name) ?? new Set()
    this.#idsByName.set(name, ids.add(id))
    return id
  }

  /** The id of the call that a result belongs to: the first of its name; null when there is none. */
  answered(given: string, name: string): string | null {
    const ids = this.#idsByName.get(name)
    const [first = null] = ids ?? []
    const id = given === '' ? first : given
    if (id !== null) ids?.delete(id)
    return id
  }
}
