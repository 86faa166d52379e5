const START_BYTES = 4096
/** A loop writes shorter texts faster than a call of Node.js does. */
const LOOP_LENGTH_MAX = 24
const NOTHING: Buffer = Buffer.alloc(0)

/** Collects Latin-1 text in a buffer that is used again: `join` copies what was added. */
export class HeadWriter {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Forgets what was added before. */
  begin() {
    this.#length = 0
  }

  add(text: string) {
    // Another value has no length, which would leave the writer in disorder.
    if (typeof text !== 'string') throw new TypeError(`a head takes text, but got ${typeof text}`)
    const end = this.#length + text.length
    if (end > this.#bytes.length) this.#grow(end)
    if (text.length > LOOP_LENGTH_MAX) this.#bytes.write(text, this.#length, 'latin1')
    else {
      for (let at = 0; at < text.length; at += 1) {
        this.#bytes[this.#length + at] = text.charCodeAt(at)
      }
    }
    this.#length = end
  }

  /** The text, a body and text after it, in a buffer of their own. */
  join(body = NOTHING, after = ''): Buffer {
    const bodyEnd = this.#length + body.length
    const joined = Buffer.allocUnsafe(bodyEnd + after.length)
    this.#bytes.copy(joined, 0, 0, this.#length)
    joined.set(body, this.#length)
    if (after !== '') joined.write(after, bodyEnd, 'latin1')
    return joined
  }

  #grow(bytesMin: number) {
    const larger = Buffer.allocUnsafeSlow(Math.max(bytesMin, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
