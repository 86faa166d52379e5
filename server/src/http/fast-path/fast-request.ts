import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHead } from '../../http1/request-head.ts'

/** Unread body bytes, or bytes of later requests, above which the socket is paused. */
export const WAITING_BYTES_MAX = 64 * 1024
/** The same limit in chunks: even a one-byte chunk occupies a kilobyte or more. */
export const WAITING_CHUNKS_MAX = 256

type EventName = 'data' | 'end' | 'close' | 'error'

/**
 * A request with the part of Node's IncomingMessage interface that the gateway uses. It reports no
 * errors.
 */
export class FastRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  readableEnded = false
  destroyed = false
  #bytesLeft: number
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isFlowing = false
  #hasPaused = false
  /** Null without listeners: most bodies have arrived with their head. */
  #events: EventEmitter | null = null

  constructor({ method, url, headers, length }: RequestHead, socket: Socket) {
    this.method = method
    this.url = url
    this.headers = headers
    this.socket = socket
    this.#bytesLeft = length
  }

  /** Body bytes still to be received. */
  get bytesLeft(): number {
    return this.#bytesLeft
  }

  on(name: EventName, listener: (bytes: Buffer) => void): this {
    this.#events ??= new EventEmitter()
    this.#events.on(name, listener)
    return this
  }

  off(name: EventName, listener: (bytes: Buffer) => void): this {
    this.#events?.off(name, listener)
    return this
  }

  /** Takes the body bytes from offset `from` and returns the offset where the body ends. */
  push(bytes: Buffer, from: number): number {
    const end = Math.min(bytes.length, from + this.#bytesLeft)
    if (end === from) return end
    const part = from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end)
    this.#bytesLeft -= part.length
    if (this.#isFlowing) this.#emitData(part)
    else this.#buffer(part)
    return end
  }

  /** Starts emitting the body in the next microtask. */
  resume(): this {
    if (!this.#isFlowing) queueMicrotask(() => this.#flow())
    return this
  }

  /** Returns the body if all of it has arrived and nothing was emitted; otherwise null. */
  takeBody(): Buffer | null {
    if (this.#bytesLeft > 0 || this.#isFlowing || this.destroyed) return null
    this.#isFlowing = true
    this.readableEnded = true
    this.#resumeSocket()
    const [first] = this.#waiting
    const isWhole = first !== undefined && this.#waiting.length === 1
    const body = isWhole ? first : Buffer.concat(this.#waiting)
    this.#drop()
    return body
  }

  /** The answer has ended: reads and discards the rest of the body. */
  discard() {
    this.#drop()
    this.#isFlowing = true
    this.#resumeSocket()
  }

  closed() {
    if (this.destroyed) return
    this.destroyed = true
    this.#drop()
    this.#events?.emit('close')
  }

  #flow() {
    if (this.destroyed || this.#isFlowing) return
    this.#isFlowing = true
    this.#resumeSocket()
    const waiting = this.#waiting
    this.#drop()
    for (const part of waiting) this.#events?.emit('data', part)
    this.#endIfComplete()
  }

  #emitData(part: Buffer) {
    this.#events?.emit('data', part)
    this.#endIfComplete()
  }

  #endIfComplete() {
    if (this.#bytesLeft > 0 || this.destroyed) return
    this.readableEnded = true
    this.#events?.emit('end')
  }

  #buffer(part: Buffer) {
    // Most bodies are a single part, and `push` reserves room for 17.
    if (this.#waiting.length === 0) this.#waiting = [part]
    else this.#waiting.push(part)
    this.#waitingBytes += part.length
    const isSmall = this.#waitingBytes <= WAITING_BYTES_MAX
    if (isSmall && this.#waiting.length <= WAITING_CHUNKS_MAX) return
    this.#hasPaused = true
    this.socket.pause()
  }

  /** A paused socket would not report that the client disconnected. */
  #resumeSocket() {
    if (this.#hasPaused) this.socket.resume()
    this.#hasPaused = false
  }

  #drop() {
    this.#waiting = []
    this.#waitingBytes = 0
  }
}
