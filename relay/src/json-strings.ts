const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const LETTER_U = 0x75

/** What may follow a backslash, beside `u` and four digits. */
const ESCAPED = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPED[byte] = 1
const HEX_DIGIT = new Uint8Array(256)
for (const byte of Buffer.from('0123456789abcdefABCDEF')) HEX_DIGIT[byte] = 1

const LOWEST_BITS = 0x01010101
const HIGHEST_BITS = 0x80808080 | 0

/**
 * Finds where strings of a JSON text end, and whether they are valid. Each byte has to be looked at: four at a
 * time, since most of a text has no quote, backslash or control character in it.
 */
export class JsonStrings {
  readonly #body: Buffer
  readonly #words: Int32Array
  /** Of a byte's place in the words against its place in the body. */
  readonly #shift: number

  constructor(body: Buffer) {
    const { buffer, byteOffset, length } = body
    const first = (byteOffset + 3) & ~3
    const count = Math.max(0, (byteOffset + length - first) >> 2)
    this.#body = body
    // The first place may lie behind the end of the memory, where there is no word.
    this.#words = count === 0 ? new Int32Array() : new Int32Array(buffer, first, count)
    this.#shift = byteOffset - first
  }

  /** One past the closing quote of the string that opens at `start`, or -1 where it is no valid one. */
  endOf(start: number): number {
    const body = this.#body
    let at = start + 1
    while (at < body.length) {
      at = this.#pastPlainWords(at)
      const byte = body[at]
      if (byte === QUOTE) return at + 1
      if (byte === undefined || byte < SPACE) return -1
      const size = byte === BACKSLASH ? this.#escapeSize(at) : 1
      if (size === 0) return -1
      at += size
    }
    return -1
  }

  /** Stays where no word begins. */
  #pastPlainWords(start: number): number {
    const place = start + this.#shift
    if ((place & 3) !== 0) return start
    const words = this.#words
    let index = place >> 2
    while (index < words.length && isPlain(words[index] ?? 0)) index += 1
    return (index << 2) - this.#shift
  }

  /** In bytes; 0 for what is no escape. */
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
 * Whether none of the four bytes is a quote, a backslash or a control character. With bit 1 turned, quotes and
 * control characters, and nothing else, are below 0x21; how the four are compared at once: S. E. Anderson,
 * "Bit Twiddling Hacks", "Determine if a word has a byte less than n".
 */
function isPlain(word: number): boolean {
  const turned = word ^ 0x02020202
  const backslashes = word ^ 0x5c5c5c5c
  const found = ((turned - 0x21212121) & ~turned) | ((backslashes - LOWEST_BITS) & ~backslashes)
  return (found & HIGHEST_BITS) === 0
}
