import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, member, parseJson } from '../../bytes/json-value.ts'

const OPENING = /^\s*\{\s*"input"\s*:\s*"/
const HIGH_SURROGATE = /^\\u[dD][89abAB]/
const ESCAPE = 2
const UNICODE_ESCAPE = 6

/** Extracts the text of `{"input": "…"}` as it arrives: the input of a custom tool. */
export class CustomInput {
  #json = ''
  #text = ''
  /** Offset up to which the text has been read; -1 before it begins. */
  #at = -1

  push(piece: string): string {
    this.#json += piece
    if (this.#at === -1) {
      const opening = OPENING.exec(this.#json)
      if (opening === null) return ''
      this.#at = opening[0].length
    }
    const end = this.#readableEnd()
    const text = parseJson(`"${this.#json.slice(this.#at, end)}"`)
    this.#at = end
    if (typeof text !== 'string') return ''
    this.#text += text
    return text
  }

  /**
   * The text not yet returned. Some models name the member differently, as in `{"patch": "…"}`. A
   * call without such an object is the text itself.
   */
  remaining(): string {
    const input = onlyText(jsonIn(Buffer.from(this.#json)))
    const fullInput = input ?? (this.#at === -1 ? this.#json : '')
    return fullInput.startsWith(this.#text) ? fullInput.slice(this.#text.length) : ''
  }

  /** Stops before a quote and before an incomplete escape. */
  #readableEnd(): number {
    const json = this.#json
    let at = this.#at
    while (at < json.length && json[at] !== '"') {
      const size = json[at] === '\\' ? escapeSize(json, at) : 1
      if (at + size > json.length) break
      at += size
    }
    return at
  }
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
