import { parseJson } from '../bytes/json-value.ts'
import { TOKENS_PER_BYTE } from '../tokens/token-encodings.ts'

const BUFFER_BYTES_MAX = 4 * 1024 * 1024
const SEPARATOR = 0x0a
/** Printable ASCII without what JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/
/** The longest character of a string. */
const UTF8_BYTES_MAX = 3

export type CountableOutput = {
  readonly text: string
  /** Estimated tokens of output that was too long to keep. */
  readonly tokensBeyond: number
  /** Seconds of audio output; absent for none. */
  readonly speechSeconds?: number
}

/**
 * Keeps a stream's output compactly: only the text of each event, still escaped, in a growing
 * buffer. The text is parsed only when needed, which is when the provider reports no usage.
 */
export class OutputBuffer {
  readonly #bytesMax: number
  #buffer = Buffer.alloc(0)
  #size = 0
  #droppedBytes = 0

  constructor(bytesMax = BUFFER_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** Upper bound on the bytes of the output, and so on its tokens. */
  get bytes(): number {
    return this.#size + this.#droppedBytes
  }

  /** Adds the text of an event as escaped in its JSON, without the quotes: a part of `bytes`. */
  addEscaped(bytes: Buffer, start = 0, end = bytes.length): void {
    if (end > start) this.#add(bytes, start, end)
  }

  /** Adds the unescaped text of a parsed event. */
  addText(text: string): void {
    if (text === '') return
    const escaped = PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1)
    const end = this.#size + escaped.length * UTF8_BYTES_MAX
    if (end >= this.#bytesMax) return this.addEscaped(Buffer.from(escaped))
    this.#grow(end + 1)
    this.#size += this.#buffer.write(escaped, this.#size) + 1
    this.#buffer[this.#size - 1] = SEPARATOR
  }

  /** All output, or the output up to `bytes`. */
  forCounting(bytes = this.bytes): CountableOutput {
    const size = Math.min(bytes, this.#size)
    const kept = this.#buffer.toString('utf8', 0, size)
    const text = joinEscaped(kept)
    const textShare = size === 0 ? 1 : Buffer.byteLength(text) / size
    return { text, tokensBeyond: Math.ceil((bytes - size) * textShare * TOKENS_PER_BYTE) }
  }

  /** The complete text, or null if some of it was not kept. */
  fullText(): string | null {
    return this.#droppedBytes > 0 ? null : this.forCounting().text
  }

  #add(bytes: Buffer, start: number, end: number): void {
    const size = end - start + 1
    if (this.#size + size > this.#bytesMax) {
      this.#droppedBytes += size
      return
    }
    this.#grow(this.#size + size)
    bytes.copy(this.#buffer, this.#size, start, end)
    this.#buffer[this.#size + size - 1] = SEPARATOR
    this.#size += size
  }

  #grow(needed: number): void {
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length, 4096))
    this.#buffer.copy(larger, 0, 0, this.#size)
    this.#buffer = larger
  }
}

/** All pieces together form the content of a JSON string. Invalid pieces are skipped. */
function joinEscaped(kept: string): string {
  const text = parseJson(`"${kept.replaceAll('\n', '')}"`)
  return typeof text === 'string' ? text : kept.split('\n').map(unescape).join('')
}

function unescape(piece: string): string {
  const text = parseJson(`"${piece}"`)
  return typeof text === 'string' ? text : ''
}
