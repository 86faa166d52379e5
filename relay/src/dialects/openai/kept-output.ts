import { parseJson, type JsonRecord } from '../../json-value.ts'
import { TOKENS_PER_BYTE } from '../../token-encodings.ts'
import { choicesOf, choiceText } from './answer.ts'
import { isPlain } from './plain-choice.ts'

const KEPT_BYTES_MAX = 4 * 1024 * 1024
const SEPARATOR = 0x0a
/** The first byte of a kept piece says what it is. */
const ESCAPED = 0x27
const EVENT = 0x7b
const DELTA = Buffer.from('"delta":')
const TEXT = Buffer.from('"text":')

export type OutputForCounting = {
  readonly text: string
  /** Estimated tokens of output that was too long to keep. */
  readonly tokensBeyond: number
}

/**
 * What a stream has said, kept small: of each event only the bytes from its delta on, in one growing
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

  /** An event on one line with at most one choice. */
  addEvent(data: Buffer): void {
    const delta = data.indexOf(DELTA)
    const at = delta === -1 ? data.indexOf(TEXT) : delta
    if (at === -1) return
    this.#add(data.subarray(at), EVENT)
  }

  /** The text of an event as it stands in its JSON, without the quotes. */
  addEscaped(text: Buffer): void {
    if (text.length > 0) this.#add(text, ESCAPED)
  }

  addChoice(choice: JsonRecord): void {
    this.addText(choiceText(choice))
  }

  /** The text of an event that was parsed anyway. */
  addText(text: string): void {
    this.addEscaped(Buffer.from(JSON.stringify(text).slice(1, -1)))
  }

  /** All of it, or what was said while `bytes` were that many. */
  forCounting(bytes = this.bytes): OutputForCounting {
    const size = Math.min(bytes, this.#size)
    const kept = this.#buffer.toString('utf8', 0, size)
    const text = kept.split('\n').map(pieceText).join('')
    const textShare = size === 0 ? 1 : Buffer.byteLength(text) / size
    return { text, tokensBeyond: Math.ceil((bytes - size) * textShare * TOKENS_PER_BYTE) }
  }

  /** The same as one text, if it was all kept and every event said nothing but plain text. */
  plainText(): string | null {
    if (this.#bytesBeyond > 0) return null
    const kept = this.#buffer.toString('utf8', 0, this.#size)
    const pieces = kept.split('\n')
    const events = pieces.filter((piece) => piece.charCodeAt(0) === EVENT).flatMap(eventChoices)
    return events.every(isPlain) ? pieces.map(pieceText).join('') : null
  }

  #add(piece: Buffer, kind: number): void {
    const size = piece.length + 2
    if (this.#size + size > this.#bytesMax) {
      this.#bytesBeyond += size
      return
    }
    this.#grow(this.#size + size)
    this.#buffer[this.#size] = kind
    piece.copy(this.#buffer, this.#size + 1)
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

/** A text gets its quotes again, so that it is JSON. */
function pieceText(piece: string): string {
  if (piece.charCodeAt(0) === ESCAPED) {
    const text = parseJson(`"${piece.slice(1)}"`)
    return typeof text === 'string' ? text : ''
  }
  return eventChoices(piece).map(choiceText).join('')
}

/** An event gets the beginning again that all events have. */
const eventChoices = (piece: string) => choicesOf(parseJson(`{"choices":[{${piece.slice(1)}`))
