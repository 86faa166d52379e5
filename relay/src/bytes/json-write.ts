import { SMALL_BYTES } from './json-parse.ts'
import type { Steps } from './steps.ts'

/*
 * Writes large values as JSON in steps of a few milliseconds, with the same text as
 * `JSON.stringify`. `JSON.stringify` writes the small parts, and slices of long strings.
 */

/** Limits of a single `JSON.stringify`: 1 to 3 ms. */
const PART_VALUES = 8000
const PART_CHARACTERS = 256 * 1024

export type PartLimits = {
  readonly values?: number
  readonly characters?: number
}

/** Returns the JSON text as bytes. The value must have no cycles. */
export function* writeInSteps(
  value: unknown,
  { values = PART_VALUES, characters = PART_CHARACTERS }: PartLimits = {},
): Steps<Buffer> {
  const writer = new Writer(values, characters)
  yield* writer.write(value)
  return writer.bytes()
}

/** Like `writeInSteps` for a value made from `bytes` bytes; without a pause when they are few. */
export function* writeJson(value: unknown, bytes: number): Steps<Buffer> {
  return bytes <= SMALL_BYTES ? Buffer.from(JSON.stringify(value)) : yield* writeInSteps(value)
}

class Writer {
  readonly #values: number
  readonly #characters: number
  readonly #done: Buffer[] = []
  #text = ''
  /** Values written since the last pause. */
  #written = 0

  constructor(values: number, characters: number) {
    this.#values = values
    this.#characters = characters
  }

  bytes(): Buffer {
    this.#flush()
    const [first] = this.#done
    return first !== undefined && this.#done.length === 1 ? first : Buffer.concat(this.#done)
  }

  *write(value: unknown): Steps<void> {
    if (typeof value === 'string' && value.length > this.#characters)
      return yield* this.#slices(value)
    const size = new SizeBudget(this.#values, this.#characters)
    if (typeof value !== 'object' || value === null || size.fits(value)) {
      this.#text += JSON.stringify(value) ?? 'null'
      this.#written += this.#values - size.values
    } else if (Array.isArray(value)) yield* this.#list(value)
    else yield* this.#members(Object.entries(value))
    const isFull = this.#text.length > this.#characters || this.#written > this.#values
    if (!isFull) return
    this.#flush()
    yield
  }

  *#list(items: readonly unknown[]): Steps<void> {
    let before = '['
    for (const item of items) {
      this.#text += before
      before = ','
      yield* this.write(item)
    }
    this.#text += before === '[' ? '[]' : ']'
  }

  *#members(entries: readonly (readonly [string, unknown])[]): Steps<void> {
    let before = '{'
    for (const [name, value] of entries) {
      if (value === undefined) continue
      this.#text += `${before}${JSON.stringify(name)}:`
      before = ','
      yield* this.write(value)
    }
    this.#text += before === '{' ? '{}' : '}'
  }

  *#slices(text: string): Steps<void> {
    this.#text += '"'
    let from = 0
    while (from < text.length) {
      const until = sliceEnd(text, from + this.#characters)
      this.#text += JSON.stringify(text.slice(from, until)).slice(1, -1)
      from = until
      this.#flush()
      yield
    }
    this.#text += '"'
  }

  #flush() {
    this.#written = 0
    if (this.#text === '') return
    this.#done.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** Moves the end so that a surrogate pair is not split. */
function sliceEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end
}

/** Measures values until they exceed one part. */
class SizeBudget {
  values: number
  #characters: number

  constructor(values: number, characters: number) {
    this.values = values
    this.#characters = characters
  }

  fits(value: unknown): boolean {
    this.values -= 1
    if (typeof value === 'string') this.#characters -= value.length
    if (this.values < 0 || this.#characters < 0) return false
    if (typeof value !== 'object' || value === null) return true
    if (Array.isArray(value)) return value.every((item) => this.fits(item))
    return Object.entries(value).every(([name, member]) => {
      this.#characters -= name.length
      return this.fits(member)
    })
  }
}
