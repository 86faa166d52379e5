import type { IncomingHttpHeaders } from 'node:http'
import { readHead } from './answer-head.ts'
import { BadAnswer } from './bad-answer.ts'
import { ChunkedBody } from './chunked-body.ts'

const HEAD_BYTES_MAX = 64 * 1024
const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

export type ParserEvents = {
  head: (status: number, headers: IncomingHttpHeaders) => void
  /** Bytes of the body, freed of their framing. */
  data: (bytes: Buffer) => void
  /** The answer is whole; `isReusable` when its connection may carry another. */
  end: (isReusable: boolean) => void
}

/**
 * Reads answers of HTTP/1.1 (RFC 9112) as they come, cut anywhere. What two readers could take for two
 * different things is malformed: both lengths, two lengths, folded lines, bare line feeds, spaces before a colon.
 */
export class AnswerParser {
  readonly #events: ParserEvents
  #state: 'idle' | 'head' | 'sized' | 'chunked' | 'until_close' = 'idle'
  /** A head of which the end has not come yet. */
  #begun: Buffer = NOTHING
  #bodyBytesLeft = 0
  #chunked = new ChunkedBody()
  #isKept = false
  readonly #tellData = (bytes: Buffer) => this.#events.data(bytes)

  constructor(events: ParserEvents) {
    this.#events = events
  }

  /** An answer is awaited; without that whatever comes is malformed. */
  begin() {
    this.#state = 'head'
  }

  /** Nothing more is told, not even of what has been pushed. */
  stop() {
    this.#state = 'idle'
    this.#begun = NOTHING
  }

  /** Parts of `bytes` are kept and handed on. Throws `BadAnswer`. */
  push(bytes: Buffer) {
    if (this.#isIdle) throw new BadAnswer('malformed')
    let at = 0
    while (at < bytes.length && !this.#isIdle) at = this.#step(bytes, at)
  }

  /** The other side sends no more, which is how some answers end. */
  close() {
    if (this.#state === 'until_close') this.#end(false)
  }

  get #isIdle(): boolean {
    return this.#state === 'idle'
  }

  #step(bytes: Buffer, at: number): number {
    if (this.#state === 'head') return this.#readHead(bytes, at)
    if (this.#state === 'sized') return this.#readSized(bytes, at)
    if (this.#state === 'chunked') return this.#readChunked(bytes, at)
    this.#events.data(bytes.subarray(at))
    return bytes.length
  }

  #readHead(bytes: Buffer, at: number): number {
    const known = this.#begun.length
    const all = known === 0 ? bytes.subarray(at) : Buffer.concat([this.#begun, bytes.subarray(at)])
    const end = all.indexOf(HEAD_END, Math.max(0, known - HEAD_END.length + 1), 'latin1')
    if ((end === -1 ? all.length : end) > HEAD_BYTES_MAX) throw new BadAnswer('too_large')
    this.#begun = end === -1 ? all : NOTHING
    if (end === -1) return bytes.length
    const next = at + end + HEAD_END.length - known
    const head = readHead(all.toString('latin1', 0, end))
    if (head === null) throw new BadAnswer('malformed')
    const isInterim = head.status < 200
    if (isInterim) return next
    const { length, status, headers } = head
    this.#isKept = head.isKept
    this.#bodyBytesLeft = typeof length === 'number' ? length : 0
    this.#state = typeof length === 'number' ? 'sized' : length
    if (length === 'chunked') this.#chunked = new ChunkedBody()
    this.#events.head(status, headers)
    if (length === 0) this.#end(next === bytes.length)
    return next
  }

  #readSized(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#bodyBytesLeft)
    this.#bodyBytesLeft -= end - at
    this.#events.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
    if (this.#bodyBytesLeft === 0) this.#end(end === bytes.length)
    return end
  }

  #readChunked(bytes: Buffer, at: number): number {
    const next = this.#chunked.read(bytes, at, this.#tellData)
    if (this.#chunked.isDone) this.#end(next === bytes.length)
    return next
  }

  /** Bytes beyond the end belong to no answer that was asked for. */
  #end(isLastByte: boolean) {
    if (this.#isIdle) return
    this.#state = 'idle'
    this.#events.end(this.#isKept && isLastByte)
  }
}
