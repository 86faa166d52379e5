/*
 * Server-sent events as bytes. A block is everything up to and including its blank line, for any
 * line ends (LF, CRLF, CR) and any chunk boundaries. Each byte is examined once while it arrives.
 */

import { ByteCollector } from './byte-collector.ts'
import { hasTooManyNodes } from './json-limits.ts'

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const NONE = -1
const SPACE = 0x20
const DATA_LENGTH = 'data'.length
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** An image is a single event: base64 of 24 MB. */
export const EVENT_BYTES_MAX = 32 * 1024 * 1024

export class SseSplitter {
  readonly #eventBytesMax: number
  readonly #pending = new ByteCollector()
  #lineIsEmpty = true
  #afterCr = false
  #overflowed = false

  constructor(options: { eventBytesMax?: number } = {}) {
    this.#eventBytesMax = Math.min(options.eventBytesMax ?? EVENT_BYTES_MAX, EVENT_BYTES_MAX)
  }

  /** True once a block has exceeded the limit. No more blocks are returned after that. */
  get overflowed(): boolean {
    return this.#overflowed
  }

  /** Whether the next byte begins a block. */
  get isBetweenBlocks(): boolean {
    return this.#pending.size === 0 && !this.#afterCr && !this.#overflowed
  }

  /** The blocks this chunk completes. All blocks and `end` together equal the bytes pushed. */
  push(chunk: Buffer): Buffer[] {
    if (this.#overflowed) return []
    if (this.isBetweenBlocks && endOfOnlyBlock(chunk) !== NONE) return this.#withinLimit([chunk])
    const blocks: Buffer[] = []
    const cr = new NextByte(chunk, CR)
    const lf = new NextByte(chunk, LF)
    let blockStart = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#afterCr) {
        this.#afterCr = false
        if (chunk[at] === LF) {
          at += 1
          // The block ended with CR in an earlier chunk. Its LF follows as a separate piece.
          if (at === 1 && this.#pending.size === 0) {
            blocks.push(chunk.subarray(0, 1))
            blockStart = 1
          }
          continue
        }
      }
      const lineEnd = Math.min(cr.from(at), lf.from(at))
      if (lineEnd > at) this.#lineIsEmpty = false
      if (lineEnd === chunk.length) break
      const isBlank = this.#lineIsEmpty
      this.#lineIsEmpty = true
      this.#afterCr = chunk[lineEnd] === CR
      at = lineEnd + 1
      if (!isBlank) continue
      if (this.#afterCr && chunk[at] === LF) {
        this.#afterCr = false
        at += 1
      }
      blocks.push(this.#take(chunk.subarray(blockStart, at)))
      blockStart = at
    }
    this.#pending.add(chunk.subarray(blockStart))
    return this.#withinLimit(blocks)
  }

  /** The bytes after the last blank line: empty, or an unfinished block. */
  end(): Buffer {
    return this.#overflowed ? Buffer.alloc(0) : this.#take(Buffer.alloc(0))
  }

  #take(rest: Buffer): Buffer {
    if (this.#pending.size === 0) return rest
    this.#pending.add(rest)
    const block = this.#pending.bytes()
    this.#pending.clear()
    return block
  }

  #withinLimit(blocks: Buffer[]): Buffer[] {
    const tooLarge = blocks.findIndex(
      (block) => block.length > this.#eventBytesMax || hasTooManyNodes(block),
    )
    if (tooLarge === -1 && this.#pending.size <= this.#eventBytesMax) return blocks
    this.#overflowed = true
    this.#pending.clear()
    return tooLarge === -1 ? blocks : blocks.slice(0, tooLarge)
  }
}

/**
 * Where the last line ends of bytes that are one block, for nearly every chunk: lines ended by LF,
 * or Google's single line ended by CRLF. `NONE` for other bytes.
 */
function endOfOnlyBlock(bytes: Buffer): number {
  const last = bytes.length - 1
  const isCrlf = bytes[last - 1] === CR
  const end = isCrlf ? last - 3 : last - 1
  if (end <= 0 || bytes[last] !== LF) return NONE
  const first = bytes.indexOf(LF)
  if (isCrlf) return first === end + 1 && bytes.indexOf(CR) === end ? end : NONE
  let lineEnd = first
  while (lineEnd < end && bytes[lineEnd + 1] !== LF) lineEnd = bytes.indexOf(LF, lineEnd + 1)
  return first > 0 && lineEnd === end && bytes.indexOf(CR) === NONE ? end : NONE
}

/** Where the data line of such a block starts, if it is the first or the second of two. */
function startOfData(block: Buffer, end: number): number {
  const first = block.indexOf(LF)
  if (first >= end) return isDataLine(block) ? 0 : NONE
  const isSecond = block.indexOf(LF, first + 1) === end && !isDataLine(block) && !hasMark(block)
  return isSecond && isDataLine(block, first + 1) ? first + 1 : NONE
}

/** Finds the next position of a byte in a chunk, and searches each range only once. */
class NextByte {
  readonly #chunk: Buffer
  readonly #byte: number
  #found = -1

  constructor(chunk: Buffer, byte: number) {
    this.#chunk = chunk
    this.#byte = byte
  }

  from(at: number): number {
    if (this.#found < at) {
      const found = this.#chunk.indexOf(this.#byte, at)
      this.#found = found === -1 ? this.#chunk.length : found
    }
    return this.#found
  }
}

/** The data of a block, its lines joined by LF. Null without a data line (a comment, say). */
export function blockData(block: Buffer): Buffer | null {
  const end = endOfOnlyBlock(block)
  const start = end === NONE ? NONE : startOfData(block, end)
  if (start !== NONE) return block.subarray(startOfValue(block, start), end)
  const lines = blockLines(block)
    .filter((line) => isDataLine(line))
    .map((line) => line.subarray(startOfValue(line, 0)))
  const [first, ...more] = lines
  if (first === undefined) return null
  return more.length === 0 ? first : joinLines(lines)
}

/** Whether a block is the second half of a CRLF that was cut. It goes where the first half went. */
export const isLineFeed = (block: Buffer): boolean => block.length === 1 && block[0] === LF

/** Whether a block has only comments, blank lines and the fields of the standard. */
export function isEventStreamBlock(block: Buffer): boolean {
  return blockLines(block).every((line) => {
    const colon = line.indexOf(COLON)
    const name = (colon === -1 ? line : line.subarray(0, colon)).toString('latin1')
    return ['', 'event', 'data', 'id', 'retry'].includes(name)
  })
}

/** Takes a line, or a block in which the line begins at `at`. */
function isDataLine(bytes: Buffer, at = 0): boolean {
  const end = at + DATA_LENGTH
  if (bytes[at] !== 0x64 || bytes[at + 1] !== 0x61) return false
  if (bytes[at + 2] !== 0x74 || bytes[at + 3] !== 0x61) return false
  return bytes.length === end || bytes[end] === COLON
}

const startOfValue = (bytes: Buffer, line: number): number =>
  line + DATA_LENGTH + (bytes[line + DATA_LENGTH + 1] === SPACE ? 2 : 1)

const hasMark = (block: Buffer) =>
  block[0] === BYTE_ORDER_MARK[0] && BYTE_ORDER_MARK.every((byte, at) => block[at] === byte)

function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [NEW_LINE, line])))
}

const NEW_LINE = Buffer.from('\n')

function blockLines(block: Buffer): Buffer[] {
  const lines: Buffer[] = []
  const cr = new NextByte(block, CR)
  const lf = new NextByte(block, LF)
  let at = hasMark(block) ? BYTE_ORDER_MARK.length : 0
  while (at < block.length) {
    const lineEnd = Math.min(cr.from(at), lf.from(at))
    if (lineEnd > at) lines.push(block.subarray(at, lineEnd))
    at = lineEnd + 1
  }
  return lines
}
