import { BadMessage } from './bad-message.ts'
import { CHUNK_EXTENSIONS, TRAILER_LINE } from './syntax.ts'

/** Limit of a chunk header: the size and ignored extensions. */
const LINE_BYTES_MAX = 1024
/** Digits of a chunk size: at most 2^40 bytes. */
const DIGITS_MAX = 10
const TRAILER_BYTES_MAX = 64 * 1024
/** An empty line, without its line feed. */
const LAST_LINE = '\r'
const CR = 0x0d
const LF = 0x0a
const SEMICOLON = 0x3b

type State = 'size' | 'extension' | 'size_end' | 'data' | 'data_end' | 'trailers' | 'done'

/** Incremental decoder of the chunked transfer coding (RFC 9112, 7.1). */
export class ChunkedBody {
  #state: State = 'size'
  #size = 0
  #digits = 0
  #lineBytes = 0
  /** How much of the CRLF after the data has been read. */
  #endBytes = 0
  /** Chunk extensions or the current trailer line. */
  #text = ''

  get isDone(): boolean {
    return this.#state === 'done'
  }

  /** Data comes next. */
  get isInData(): boolean {
    return this.#state === 'data'
  }

  /** Reads what is no data, from offset `from` on, and returns the next offset. */
  readFraming(bytes: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      if (this.#state === 'data' || this.#state === 'done') return at
      this.#readByte(bytes[at] ?? 0)
    }
    return to
  }

  /** How many of this many bytes are data, which counts as read. */
  takeData(bytes: number): number {
    const taken = Math.min(bytes, this.#size)
    this.#size -= taken
    if (this.#size === 0) this.#state = 'data_end'
    return taken
  }

  #readByte(byte: number) {
    switch (this.#state) {
      case 'size':
      case 'extension':
        return this.#readSizeLine(byte)
      case 'size_end':
        return this.#endLine(byte)
      case 'data_end':
        return this.#readDataEnd(byte)
      default:
        return this.#readTrailers(byte)
    }
  }

  #readSizeLine(byte: number) {
    this.#lineBytes += 1
    if (this.#lineBytes > LINE_BYTES_MAX) throw new BadMessage('too_large')
    if (this.#state === 'extension' && byte !== CR) this.#text += String.fromCharCode(byte)
    else if (byte === CR && this.#digits > 0) this.#state = 'size_end'
    else if (byte === SEMICOLON && this.#digits > 0) {
      this.#state = 'extension'
      this.#text = ';'
    } else {
      const digit = hexDigit(byte)
      this.#digits += 1
      if (digit === -1 || this.#digits > DIGITS_MAX) throw new BadMessage('malformed')
      this.#size = this.#size * 16 + digit
    }
  }

  #endLine(byte: number) {
    if (byte !== LF || !CHUNK_EXTENSIONS.test(this.#text)) throw new BadMessage('malformed')
    this.#text = ''
    this.#state = this.#size === 0 ? 'trailers' : 'data'
    this.#digits = 0
    this.#lineBytes = 0
  }

  #readDataEnd(byte: number) {
    if (byte !== (this.#endBytes === 0 ? CR : LF)) throw new BadMessage('malformed')
    this.#endBytes = 1 - this.#endBytes
    if (this.#endBytes === 0) this.#state = 'size'
  }

  /** Trailers are validated and ignored. */
  #readTrailers(byte: number) {
    this.#lineBytes += 1
    if (this.#lineBytes > TRAILER_BYTES_MAX) throw new BadMessage('too_large')
    if (byte !== LF) {
      this.#text += String.fromCharCode(byte)
      return
    }
    if (this.#text === LAST_LINE) this.#state = 'done'
    else if (!TRAILER_LINE.test(this.#text)) throw new BadMessage('malformed')
    this.#text = ''
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Sizes of most stream events; their lines are made once. */
const COMMON_SIZE_MAX = 1024
const COMMON_SIZE_LINES = Array.from({ length: COMMON_SIZE_MAX + 1 }, (_line, size) =>
  sizeLine(size),
)

/** The line before the data of a chunk. */
export const encodeChunkSize = (size: number): string => COMMON_SIZE_LINES[size] ?? sizeLine(size)

function sizeLine(size: number): string {
  return `${size.toString(16)}\r\n`
}

/** Follows the data of a chunk. */
export const CHUNK_END = '\r\n'
/** Ends a body, without trailers. */
export const LAST_CHUNK = '0\r\n\r\n'
