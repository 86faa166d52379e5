const NAMES_MAX = 100
const SEEN_MAX = 200

/** The statements that a connection to PostgreSQL has the server parse and plan once. */
export class PreparedNames {
  readonly #names = new Map<string, string>()
  /** Texts used once. A text that holds a value is never used again. */
  readonly #seen = new Set<string>()

  /** The name of a prepared statement; undefined for a text that is not prepared. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= NAMES_MAX) return known
    if (!this.#seen.delete(text)) {
      if (this.#seen.size >= SEEN_MAX) this.#seen.clear()
      this.#seen.add(text)
      return undefined
    }
    const name = `tollgate_${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
