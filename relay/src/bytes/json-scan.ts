import { JsonStrings, UNFINISHED } from './json-strings.ts'

/*
 * Finds where values of a JSON text end without building them, and counts what building them would
 * cost. Long values are read in slices, so no call takes more than a few milliseconds.
 */

/**
 * The maximum number of nodes in a text. Strings, lists, objects, commas and colons are nodes. 300
 * 000 token ids in 2048 lists, the most that OpenAI embeds at once, have 304 000 nodes. 6000 tool
 * calls and results in Anthropic's form (a million tokens) have 220 000, and 500 tools of eight
 * parameters each have 150 000. Node parses 100 000 typical nodes in 10 ms on a slow core, and the
 * worst nodes (objects that share no names) in 60 ms.
 */
export const NODES_MAX = 400_000
/** Bytes outside of strings: numbers, spaces, punctuation. 300 000 indented token ids have 7 MB. */
export const UNQUOTED_BYTES_MAX = 8 * 1024 * 1024
const DEPTH_MAX = 64
/** In bytes. Shorter strings are cheaper to parse than to leave out. */
const LONG_TEXT = 512
/** Bytes read in one step: 1 to 5 ms. */
export const SLICE_BYTES = 1024 * 1024

export type ScanLimits = {
  readonly depthMax?: number
  readonly nodesMax?: number
  readonly unquotedBytesMax?: number
  /** Tests pass a smaller size. */
  readonly sliceBytes?: number
}

export type Span = { readonly start: number; readonly end: number }

/** Negative results of `skip` and `resume`, in place of the end of a value. */
const BROKEN = -1
export const TOO_DEEP = -2
export const TOO_MANY = -3
export const TOO_MANY_UNQUOTED = -4
/** The value is unfinished: call `resume`. */
export const PAUSED = -5

const QUOTE = 0x22
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c
const NONE = -1
const DATA_SCHEME = Buffer.from('data:')
/** The bit that lower-case letters have, and the colon. */
const LOWER_CASE = 0x20

export class JsonScan {
  /** Long strings inside skipped values, with their quotes, in order. Data URLs are excluded. */
  longTexts: Span[] = []
  /** Members inside skipped values. */
  memberCount = 0
  nodesLeft: number
  readonly #body: Buffer
  readonly #strings: JsonStrings
  readonly #depthMax: number
  readonly #sliceBytes: number
  #unquotedBytesLeft: number
  #at = 0
  #depth = 0
  /** Start of the string that was unfinished at the end of a slice. */
  #text = NONE

  constructor(
    body: Buffer,
    {
      depthMax = DEPTH_MAX,
      nodesMax = NODES_MAX,
      unquotedBytesMax = UNQUOTED_BYTES_MAX,
      sliceBytes = SLICE_BYTES,
    }: ScanLimits = {},
  ) {
    this.#strings = new JsonStrings(body)
    this.#body = body
    this.#depthMax = depthMax
    this.nodesLeft = nodesMax
    this.#unquotedBytesLeft = unquotedBytesMax
    this.#sliceBytes = sliceBytes
  }

  /** One past the value that begins at `start`, or a negative result from above. */
  skip(start: number): number {
    const first = this.#body[start]
    this.#at = start
    if (first === QUOTE) {
      this.nodesLeft -= 1
      this.#depth = 0
      return this.#endOfText(this.#strings.endOf(start, this.#until(start)))
    }
    if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return this.#skipScalar(start)
    this.#depth = 1
    this.#text = NONE
    return this.#read(start)
  }

  resume(): number {
    if (this.#depth > 0 && this.#text === NONE) return this.#read(this.#at)
    const end = this.#strings.endOfRest(this.#until(this.#at))
    if (this.#depth === 0 || end < 0) return this.#endOfText(end)
    this.#noteText(this.#text, end)
    this.#text = NONE
    return this.#read(end)
  }

  /** For a string that is the whole value, or unfinished. */
  #endOfText(end: number): number {
    if (end !== UNFINISHED) return end
    this.#at = this.#until(this.#at)
    return PAUSED
  }

  /** End of the slice that begins at `from`. */
  #until(from: number): number {
    return Math.min(this.#body.length, from + this.#sliceBytes)
  }

  #noteText(start: number, end: number) {
    const isLong = end - start > LONG_TEXT
    if (!isLong || isDataUrl(this.#body, start)) return
    // Many answers have a single long text, and `push` reserves room for 17.
    if (this.longTexts.length === 0) this.longTexts = [{ start, end }]
    else this.longTexts.push({ start, end })
  }

  #read(from: number): number {
    const body = this.#body
    const strings = this.#strings
    const depthMax = this.#depthMax
    const until = this.#until(from)
    let depth = this.#depth
    let nodesLeft = this.nodesLeft
    let members = 0
    let unquotedFrom = from
    let unquotedBytes = 0
    let at = from
    let result = PAUSED
    while (at < until) {
      const byte = body[at]
      if (byte === QUOTE) {
        const text = at
        nodesLeft -= 1
        unquotedBytes += text - unquotedFrom
        at = strings.endOf(text, until)
        if (at < 0) {
          result = at === UNFINISHED ? PAUSED : BROKEN
          this.#text = text
          at = until
          unquotedFrom = until
          break
        }
        unquotedFrom = at
        if (at - text > LONG_TEXT) this.#noteText(text, at)
        continue
      }
      at += 1
      if (byte === COMMA) {
        nodesLeft -= 1
        if (nodesLeft < 0) {
          result = TOO_MANY
          break
        }
      } else if (byte === COLON) {
        nodesLeft -= 1
        members += 1
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        nodesLeft -= 1
        depth += 1
        if (depth > depthMax) {
          result = TOO_DEEP
          break
        }
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1
        if (depth === 1) {
          result = at
          break
        }
      }
    }
    unquotedBytes += at - unquotedFrom
    this.#at = at
    this.#depth = depth
    this.nodesLeft = nodesLeft
    this.memberCount += members
    this.#unquotedBytesLeft -= unquotedBytes
    if (nodesLeft < 0) return TOO_MANY
    if (this.#unquotedBytesLeft < 0) return TOO_MANY_UNQUOTED
    return result === PAUSED && at >= body.length ? BROKEN : result
  }

  #skipScalar(start: number): number {
    const body = this.#body
    const end = Math.min(body.length, start + SLICE_BYTES)
    let at = start
    while (at < end) {
      const byte = body[at]
      if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) break
      at += 1
    }
    this.#unquotedBytesLeft -= at - start
    const isCut = at === end && at < body.length
    return isCut || this.#unquotedBytesLeft < 0 ? TOO_MANY_UNQUOTED : at
  }
}

/** Data URLs stay in the outline, since their length decides what they cost. */
function isDataUrl(body: Buffer, quote: number): boolean {
  for (let at = 0; at < DATA_SCHEME.length; at += 1) {
    if (((body[quote + 1 + at] ?? 0) | LOWER_CASE) !== DATA_SCHEME[at]) return false
  }
  return true
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** At most this much space is skipped between two tokens; the rest is read as the next token. */
const SPACE_BYTES_MAX = 1024 * 1024

export function skipSpace(body: Buffer, start: number): number {
  const end = start + SPACE_BYTES_MAX
  let at = start
  while (isSpace(body[at]) && at < end) at += 1
  return at
}
