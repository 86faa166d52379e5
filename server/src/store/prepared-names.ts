import { createHash } from 'node:crypto'

const NAMES_MAX = 100
const SEEN_MAX = 200
/** 64 bits: two texts do not share a name. */
const HASH_LENGTH = 16

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
    const name = nameFor(text)
    this.#names.set(text, name)
    return name
  }
}

/**
 * Depends on nothing but the text: behind an undetected pooler a name may meet the statement that
 * another connection prepared.
 */
const nameFor = (text: string) =>
  `tollgate_${createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)}`
