import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, member, parseJson } from '../../bytes/json-value.ts'

const OPENING = /^\s*\{\s*"input"\s*:\s*"/
const ENDING = /^"\s*\}\s*$/
const HIGH_SURROGATE = /^\\u[dD][89abAB]/
const ESCAPE = 2
const UNICODE_ESCAPE = 6

/** After so many characters without it, no opening is expected. */
const OPENING_LENGTH_MAX = 1000

/** Extracts the text of `{"input": "…"}` as it arrives: the input of a custom tool. */
export class CustomInput {
  #json = ''
  #text = ''
  /** The JSON after the text that has been returned; null before the text begins. */
  #unread: string | null = null

  push(piece: string): string {
    this.#json += piece
    const unread = this.#unread === null ? this.#afterOpening(piece) : this.#unread + piece
    if (unread === null) return ''
    const end = readableEnd(unread)
    const text = parseJson(`"${unread.slice(0, end)}"`)
    this.#unread = unread.slice(end)
    if (typeof text !== 'string') return ''
    this.#text += text
    return text
  }

  /**
   * The text not yet returned. Some models name the member differently, as in `{"patch": "…"}`. A
   * call without such an object is the text itself.
   */
  remaining(): string {
    // Nothing is left, and parsing a long text once more takes as long as reading it.
    if (this.#unread !== null && ENDING.test(this.#unread)) return ''
    const input = onlyText(jsonIn(Buffer.from(this.#json)))
    const fullInput = input ?? (this.#unread === null ? this.#json : '')
    return fullInput.startsWith(this.#text) ? fullInput.slice(this.#text.length) : ''
  }

  #afterOpening(piece: string): string | null {
    if (this.#json.length - piece.length > OPENING_LENGTH_MAX) return null
    const opening = OPENING.exec(this.#json)
    return opening === null ? null : this.#json.slice(opening[0].length)
  }
}

/** Stops before a quote and before an incomplete escape. */
function readableEnd(json: string): number {
  let at = 0
  while (at < json.length && json[at] !== '"') {
    const size = json[at] === '\\' ? escapeSize(json, at) : 1
    if (at + size > json.length) break
    at += size
  }
  return at
}

function escapeSize(json: string, at: number): number {
  if (json[at + 1] !== 'u') return ESCAPE
  const isHalf = HIGH_SURROGATE.test(json.slice(at, at + UNICODE_ESCAPE))
  const next = json.slice(at + UNICODE_ESCAPE, at + UNICODE_ESCAPE + ESCAPE)
  return isHalf && '\\u'.startsWith(next) ? 2 * UNICODE_ESCAPE : UNICODE_ESCAPE
}

const NESTING_MAX = 3

/** The text, `input`, or only member of an object; null if it is no text. */
function onlyText(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value
  if (!isRecord(value) || depth === NESTING_MAX) return null
  const [first, ...others] = Object.values(value)
  const input = member(value, 'input') ?? (others.length === 0 ? first : undefined)
  return onlyText(input, depth + 1)
}
