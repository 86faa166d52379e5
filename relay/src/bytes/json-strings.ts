const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const LETTER_U = 0x75

/** Characters that may follow a backslash, apart from `u` and four digits. */
const ESCAPED = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPED[byte] = 1
const HEX_DIGIT = new Uint8Array(256)
for (const byte of Buffer.from('0123456789abcdefABCDEF')) HEX_DIGIT[byte] = 1

const LOWEST_BITS = 0x01010101
const HIGHEST_BITS = 0x80808080 | 0

/** The string continues after the byte up to which it may be read now. */
export const UNFINISHED = -2

/**
 * Finds where strings of a JSON text end, and whether they are valid. Every byte must be examined;
 * four are examined at a time, since most have no quote, backslash or control character.
 */
export class JsonStrings {
  readonly #body: Buffer
  readonly #words: Int32Array
  /** Offset in `#words` minus offset in `#body`, in bytes. */
  readonly #shift: number
  #at = 0

  constructor(body: Buffer) {
    const { buffer, byteOffset, length } = body
    const first = (byteOffset + 3) & ~3
    const count = Math.max(0, (byteOffset + length - first) >> 2)
    this.#body = body
    // The first word may lie past the end of the memory, where `Int32Array` would throw.
    this.#words = count === 0 ? new Int32Array() : new Int32Array(buffer, first, count)
    this.#shift = byteOffset - first
  }

  /**
   * One past the closing quote of the string that opens at `start`, -1 for an invalid string, or
   * `UNFINISHED` at about the byte `until`.
   */
  endOf(start: number, until: number = this.#body.length): number {
    return this.#endFrom(start + 1, until)
  }

  /** Where an unfinished string continues; never inside an escape. */
  get at(): number {
    return this.#at
  }

  /** Like `endOf`, for the rest of an unfinished string. */
  endOfRest(until: number): number {
    return this.#endFrom(this.#at, until)
  }

  #endFrom(start: number, until: number): number {
    const body = this.#body
    let at = start
    while (at < until) {
      at = this.#pastPlainWords(at, until)
      const byte = body[at]
      if (byte === QUOTE) return at + 1
      if (byte === undefined || byte < SPACE) return -1
      const size = byte === BACKSLASH ? this.#escapeSize(at) : 1
      if (size === 0) return -1
      at += size
    }
    if (at >= body.length) return -1
    this.#at = at
    return UNFINISHED
  }

  /** Returns `start` if no word begins there. */
  #pastPlainWords(start: number, until: number): number {
    const place = start + this.#shift
    if ((place & 3) !== 0) return start
    const words = this.#words
    const end = Math.min(words.length, (until + this.#shift) >> 2)
    let index = place >> 2
    while (index < end && isPlain(words[index] ?? 0)) index += 1
    return (index << 2) - this.#shift
  }

  /** In bytes; 0 for an invalid escape. */
  #escapeSize(at: number): number {
    const escaped = this.#body[at + 1] ?? 0
    if (escaped !== LETTER_U) return ESCAPED[escaped] === 1 ? 2 : 0
    for (let place = at + 2; place < at + 6; place += 1) {
      if (HEX_DIGIT[this.#body[place] ?? 0] === 0) return 0
    }
    return 6
  }
}

/**
 * Whether none of the four bytes is a quote, a backslash or a control character. With bit 1
 * flipped, only quotes and control characters are below 0x21. The comparison of four bytes at once
 * is from S. E. Anderson, "Bit Twiddling Hacks", "Determine if a word has a byte less than n".
 */
function isPlain(word: number): boolean {
  const turned = word ^ 0x02020202
  const backslashes = word ^ 0x5c5c5c5c
  const found = ((turned - 0x21212121) & ~turned) | ((backslashes - LOWEST_BITS) & ~backslashes)
  return (found & HIGHEST_BITS) === 0
}
