import type { IncomingHttpHeaders } from 'node:http'
import { BadMessage } from './bad-message.ts'
import { ChunkedBody } from './chunked-body.ts'
import { readResponseHead } from './response-head.ts'
import { ScratchBytes } from './scratch-bytes.ts'
import { HEAD_END, LINE_END } from './syntax.ts'

/** Without the empty line. */
const HEAD_BYTES_MAX = 64 * 1024
const NOTHING = Buffer.alloc(0)

const HEAD_START = 'HTTP/1.'
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The part of a read that is offered. */
const offered = new ScratchBytes()

export type ParserEvents = {
  head: (status: number, headers: IncomingHttpHeaders) => void
  /**
   * Offers body bytes that are overwritten after the call. False if `data` should get bytes that
   * stay.
   */
  offer?: (bytes: Buffer) => boolean
  /** Body bytes without framing. */
  data: (bytes: Buffer) => void
  /** The answer is complete. `isReusable`: its connection may carry another request. */
  end: (isReusable: boolean) => void
}

/**
 * Incremental parser of HTTP/1.1 responses (RFC 9112). Ambiguous responses are malformed: both
 * length headers, two lengths, folded lines, bare line feeds, spaces before a colon.
 */
export class ResponseParser {
  readonly #events: ParserEvents
  #state: 'idle' | 'head' | 'sized' | 'chunked' | 'until_close' = 'idle'
  #partialHead: Buffer = NOTHING
  #bodyBytesLeft = 0
  #chunked = new ChunkedBody()
  #isKeepAlive = false
  /** The bytes of this push are valid only until it returns. */
  #isLent = false

  constructor(events: ParserEvents) {
    this.#events = events
  }

  /** Expects an answer; bytes that arrive without one are malformed. */
  begin() {
    this.#state = 'head'
  }

  /** Emits no further events, not even for bytes already pushed. */
  stop() {
    this.#state = 'idle'
    this.#partialHead = NOTHING
  }

  /** Keeps and passes on views of `bytes`. Throws `BadMessage`. */
  push(bytes: Buffer) {
    this.#isLent = false
    this.#read(bytes, bytes.length)
  }

  /**
   * Reads the first `length` of `bytes`, which the caller uses again: keeps and passes on copies.
   * Throws `BadMessage`.
   */
  pushLent(bytes: Buffer, length: number) {
    this.#isLent = true
    this.#read(bytes, length)
  }

  #read(bytes: Buffer, length: number) {
    if (this.#isIdle) throw new BadMessage('malformed')
    let at = 0
    while (at < length && !this.#isIdle) at = this.#step(bytes, at, length)
  }

  /** The peer has half-closed the connection, which ends some answers. */
  close() {
    if (this.#state === 'until_close') this.#end(false)
  }

  get #isIdle(): boolean {
    return this.#state === 'idle'
  }

  #step(bytes: Buffer, at: number, length: number): number {
    if (this.#state === 'head') return this.#readHead(bytes, at, length)
    if (this.#state === 'sized') return this.#readSized(bytes, at, length)
    if (this.#state === 'chunked') return this.#readChunked(bytes, at, length)
    this.#emit(bytes, at, length)
    return length
  }

  #emit(bytes: Buffer, start: number, end: number) {
    const copy = this.#isLent ? offered.copyOf(bytes, start, end) : null
    if (copy !== null && this.#events.offer?.(copy) === true) return
    this.#events.data(this.#part(bytes, start, end))
  }

  #part(bytes: Buffer, start: number, end: number): Buffer {
    if (!this.#isLent) {
      return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end)
    }
    const copy = Buffer.allocUnsafe(end - start)
    bytes.copy(copy, 0, start, end)
    return copy
  }

  #readHead(bytes: Buffer, at: number, pushed: number): number {
    const partialLength = this.#partialHead.length
    const arrived = bytes.subarray(at, pushed)
    const all = partialLength === 0 ? arrived : Buffer.concat([this.#partialHead, arrived])
    const end = all.indexOf(HEAD_END, Math.max(0, partialLength - HEAD_END.length + 1))
    if ((end === -1 ? all.length : end) > HEAD_BYTES_MAX) throw new BadMessage('too_large')
    if (end === -1 && !mayBecomeHead(all, partialLength)) throw new BadMessage('malformed')
    this.#partialHead = end === -1 ? this.#part(all, 0, all.length) : NOTHING
    if (end === -1) return pushed
    const next = at + end + HEAD_END.length - partialLength
    const head = readResponseHead(all.toString('latin1', 0, end + LINE_END.length))
    if (head === null) throw new BadMessage('malformed')
    const isInterim = head.status < 200
    if (isInterim) return next
    const { length, status, headers } = head
    this.#isKeepAlive = head.isKeepAlive
    this.#bodyBytesLeft = typeof length === 'number' ? length : 0
    this.#state = typeof length === 'number' ? 'sized' : length
    if (length === 'chunked') this.#chunked = new ChunkedBody()
    this.#events.head(status, headers)
    if (length === 0) this.#end(next === pushed)
    return next
  }

  #readSized(bytes: Buffer, at: number, length: number): number {
    const end = Math.min(length, at + this.#bodyBytesLeft)
    this.#bodyBytesLeft -= end - at
    this.#emit(bytes, at, end)
    if (this.#bodyBytesLeft === 0) this.#end(end === length)
    return end
  }

  #readChunked(bytes: Buffer, at: number, length: number): number {
    const chunked = this.#chunked
    if (chunked.isInData) {
      const end = at + chunked.takeData(length - at)
      this.#emit(bytes, at, end)
      return end
    }
    const next = chunked.readFraming(bytes, at, length)
    if (chunked.isDone) this.#end(next === length)
    return next
  }

  /** Bytes after the end belong to no request. */
  #end(isLastByte: boolean) {
    if (this.#isIdle) return
    this.#state = 'idle'
    this.#events.end(this.#isKeepAlive && isLastByte)
  }
}

/**
 * Whether further bytes can complete a head. A server that speaks another protocol may keep the
 * connection open after its greeting. The bytes before `from` were checked before.
 */
function mayBecomeHead(bytes: Buffer, from: number): boolean {
  if (!HEAD_START.startsWith(bytes.toString('latin1', 0, HEAD_START.length))) return false
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (bytes[at - 1] !== CARRIAGE_RETURN) return false
  }
  return true
}
