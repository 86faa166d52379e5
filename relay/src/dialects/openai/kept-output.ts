import { parseJson } from '../../json-value.ts'
import { TOKENS_PER_BYTE } from '../../token-encodings.ts'

const KEPT_BYTES_MAX = 4 * 1024 * 1024
const SEPARATOR = 0x0a

export type OutputForCounting = {
  readonly text: string
  /** Estimated tokens of output that was too long to keep. */
  readonly tokensBeyond: number
  /** Of speech beside the text; absent for none. */
  readonly speechSeconds?: number
}

/**
 * What a stream has said, kept small: of each event only its text, as it stands in its JSON, in one growing
 * buffer. Nothing is parsed unless the text is asked for, which is when no usage came.
 */
export class KeptOutput {
  readonly #bytesMax: number
  #buffer = Buffer.alloc(0)
  #size = 0
  #bytesBeyond = 0

  constructor(bytesMax = KEPT_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** No text that was said has more bytes, and so none has more tokens. */
  get bytes(): number {
    return this.#size + this.#bytesBeyond
  }

  /** The text of an event as it stands in its JSON, without the quotes. */
  addEscaped(text: Buffer): void {
    if (text.length > 0) this.#add(text)
  }

  /** The text of an event that was parsed anyway. */
  addText(text: string): void {
    if (text !== '') this.#add(Buffer.from(JSON.stringify(text).slice(1, -1)))
  }

  /** All of it, or what was said while `bytes` were that many. */
  forCounting(bytes = this.bytes): OutputForCounting {
    const size = Math.min(bytes, this.#size)
    const kept = this.#buffer.toString('utf8', 0, size)
    const text = textOfPieces(kept)
    const textShare = size === 0 ? 1 : Buffer.byteLength(text) / size
    return { text, tokensBeyond: Math.ceil((bytes - size) * textShare * TOKENS_PER_BYTE) }
  }

  /** The same as one text, if it was all kept. */
  wholeText(): string | null {
    return this.#bytesBeyond > 0 ? null : this.forCounting().text
  }

  #add(piece: Buffer): void {
    const size = piece.length + 1
    if (this.#size + size > this.#bytesMax) {
      this.#bytesBeyond += size
      return
    }
    this.#grow(this.#size + size)
    piece.copy(this.#buffer, this.#size)
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

/** All pieces together are one text in JSON, but for pieces that are not valid, which say nothing. */
function textOfPieces(kept: string): string {
  const text = parseJson(`"${kept.replaceAll('\n', '')}"`)
  return typeof text === 'string' ? text : kept.split('\n').map(pieceText).join('')
}

/** It gets its quotes again, so that it is JSON. */
function pieceText(piece: string): string {
  const text = parseJson(`"${piece}"`)
  return typeof text === 'string' ? text : ''
}
