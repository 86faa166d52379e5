import type { Steps } from './steps.ts'

const BACKSLASH = 0x5c
const LETTER_U = 0x75
const OPENING = Buffer.from(String.raw`\u`)
/** Bytes of an escape such as `\ud83d`. */
const ESCAPE = 6
const SLICE_BYTES = 1024 * 1024
const REPLACEMENT = 0xfffd

/** Whether `withPlainEscapes` may have work. */
export const hasEscapes = (json: Buffer): boolean => json.includes(OPENING)

/**
 * JSON text without two kinds of escapes; the same buffer if it has none of them.
 *
 * Letters, digits and `_` are written plainly. V8 14.6 (Node.js 26.10) reads an escaped member name
 * as another one that begins with a backslash, if an earlier object of the process had that name
 * there. A client could hide a member that decides its charge.
 *
 * U+FFFD stands for each half of a surrogate pair: an agent that cuts a text may cut an emoji, and
 * some vendors refuse the whole request (anthropics/claude-code#5934).
 */
export function* withPlainEscapes(json: Buffer): Steps<Buffer> {
  let at = json.indexOf(OPENING)
  if (at < 0) return json
  // The backslash may itself be escaped.
  while (json[at - 1] === BACKSLASH) at -= 1
  const writer = new PlainWriter(json)
  let pauseAt = at + SLICE_BYTES
  while (at < json.length) {
    if (at > pauseAt) {
      yield
      pauseAt = at + SLICE_BYTES
    }
    if (json[at] !== BACKSLASH) {
      at += 1
      continue
    }
    const code = codeAt(json, at)
    if (code < 0) {
      at += 2
    } else if (isHigh(code) && isLow(codeAt(json, at + ESCAPE))) {
      at += 2 * ESCAPE
    } else {
      const plain = isHigh(code) || isLow(code) ? REPLACEMENT : code
      if (plain === REPLACEMENT || isOfName(plain)) writer.replace(at, plain)
      at += ESCAPE
    }
  }
  return writer.end()
}

/** Copies a text with some of its escapes replaced. It never grows: three bytes replace six. */
class PlainWriter {
  readonly #json: Buffer
  #written: Buffer | null = null
  #size = 0
  #kept = 0

  constructor(json: Buffer) {
    this.#json = json
  }

  replace(at: number, code: number) {
    const written = (this.#written ??= Buffer.allocUnsafe(this.#json.length))
    this.#size += this.#json.copy(written, this.#size, this.#kept, at)
    this.#size += written.write(String.fromCharCode(code), this.#size, 'utf8')
    this.#kept = at + ESCAPE
  }

  end(): Buffer {
    if (this.#written === null) return this.#json
    this.#size += this.#json.copy(this.#written, this.#size, this.#kept)
    return this.#written.subarray(0, this.#size)
  }
}

const isHigh = (code: number) => code >= 0xd800 && code < 0xdc00
const isLow = (code: number) => code >= 0xdc00 && code < 0xe000

/** ASCII letters, digits and `_`, and what `foldName` makes a letter of: ſ and the Kelvin sign. */
const isOfName = (code: number) => /^[\w\u017f\u212a]$/.test(String.fromCharCode(code))

/** -1 if no escape of a code begins there. */
function codeAt(json: Buffer, at: number): number {
  if (json[at] !== BACKSLASH || json[at + 1] !== LETTER_U) return -1
  let code = 0
  for (let place = at + 2; place < at + ESCAPE; place += 1) {
    const digit = digitOf(json[place])
    if (digit < 0) return -1
    code = code * 16 + digit
  }
  return code
}

function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
