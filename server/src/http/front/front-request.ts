import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHead } from './request-head.ts'

/** What waits to be taken of a body or of later requests; beyond it the socket is not read. */
export const WAITING_BYTES_MAX = 64 * 1024
/** The same in pieces: one of a single byte takes a kilobyte and more. */
export const WAITING_PIECES_MAX = 256

type Events = { data: [Buffer]; end: []; close: []; error: [Error] }

/** A request as it arrives: like Node's own, of which it has what the gateway asks for. */
export class FrontRequest extends EventEmitter<Events> {
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

  constructor({ method, url, headers, bodyBytes }: RequestHead, socket: Socket) {
    super()
    this.method = method
    this.url = url
    this.headers = headers
    this.socket = socket
    this.#bytesLeft = bodyBytes
  }

  /** Of the body, which have not come yet. */
  get bytesLeft(): number {
    return this.#bytesLeft
  }

  /** Takes what is its own of the bytes from `from` on, and gives back where that ends. */
  push(bytes: Buffer, from: number): number {
    const end = Math.min(bytes.length, from + this.#bytesLeft)
    if (end === from) return end
    const part = from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end)
    this.#bytesLeft -= part.length
    if (this.#isFlowing) this.#tell(part)
    else this.#keep(part)
    return end
  }

  /** From the next moment on its body is told as it comes, to whoever listens. */
  resume(): this {
    if (!this.#isFlowing) queueMicrotask(() => this.#flow())
    return this
  }

  /** The whole body, once all of it has come, to whoever has not asked to be told of it; else null. */
  takeBody(): Buffer | null {
    if (this.#bytesLeft > 0 || this.#isFlowing || this.destroyed) return null
    this.#isFlowing = true
    this.readableEnded = true
    this.#read()
    const [only, ...others] = this.#waiting
    const body = only !== undefined && others.length === 0 ? only : Buffer.concat(this.#waiting)
    this.#drop()
    return body
  }

  /** Its answer has ended: what is left of the body is read, and told to nobody. */
  discard() {
    this.#drop()
    this.#isFlowing = true
    this.#read()
  }

  /** Its connection is gone. */
  closed() {
    if (this.destroyed) return
    this.destroyed = true
    this.#drop()
    this.emit('close')
  }

  #flow() {
    if (this.destroyed || this.#isFlowing) return
    this.#isFlowing = true
    this.#read()
    const waiting = this.#waiting
    this.#drop()
    for (const part of waiting) this.emit('data', part)
    this.#endWhenWhole()
  }

  #tell(part: Buffer) {
    this.emit('data', part)
    this.#endWhenWhole()
  }

  #endWhenWhole() {
    if (this.#bytesLeft > 0 || this.destroyed) return
    this.readableEnded = true
    this.emit('end')
  }

  #keep(part: Buffer) {
    this.#waiting.push(part)
    this.#waitingBytes += part.length
    const isSmall = this.#waitingBytes <= WAITING_BYTES_MAX
    if (isSmall && this.#waiting.length <= WAITING_PIECES_MAX) return
    this.#hasPaused = true
    this.socket.pause()
  }

  /** Nobody would hear of a client that leaves while its socket is not read. */
  #read() {
    if (this.#hasPaused) this.socket.resume()
    this.#hasPaused = false
  }

  #drop() {
    this.#waiting = []
    this.#waitingBytes = 0
  }
}
