import type { Socket } from 'node:net'
import type { RequestHead } from '../../http1/request-head.ts'
import { acceptRequest } from './accept-request.ts'
import { FastRequest, WAITING_BYTES_MAX, WAITING_CHUNKS_MAX } from './fast-request.ts'
import { type ResponseConnection, FastResponse } from './fast-response.ts'

const NOTHING = Buffer.alloc(0)

export type ConnectionHooks = {
  accepts: (url: string) => boolean
  serve: (request: FastRequest, response: FastResponse) => void
  /** Passes the connection to Node.js, with all bytes it must read put back. */
  handOver: (connection: FastConnection, socket: Socket) => void
  onClosed: (connection: FastConnection) => void
  /** The server is closing: no further requests are accepted. */
  isClosing: () => boolean
  /** Timeouts before the first request, between requests, and for the rest of a body. */
  firstMs: number
  idleMs: () => number
  restMs: number
}

/**
 * A client connection whose requests have all been simple so far. They are served one at a time.
 */
export class FastConnection implements ResponseConnection {
  readonly socket: Socket
  readonly #hooks: ConnectionHooks
  #request: FastRequest | null = null
  #response: FastResponse | null = null
  /** Bytes after the current request. */
  #pipelined: Buffer[] = []
  #pipelinedBytes = 0
  #isKeepAlive = true
  /** The client has half-closed the connection. */
  #hasEnded = false
  #expiresAtMs: number

  constructor(socket: Socket, hooks: ConnectionHooks) {
    this.socket = socket
    this.#hooks = hooks
    this.#expiresAtMs = Date.now() + hooks.firstMs
    socket.on('data', this.#received).on('drain', this.#drained)
    socket.on('error', ignore).on('end', this.#ended).on('close', this.#closed)
  }

  get isIdle(): boolean {
    return this.#request === null
  }

  hasExpired(nowMs: number): boolean {
    return this.#response === null && nowMs >= this.#expiresAtMs
  }

  connectionLines(closes: boolean): string {
    if (closes || this.#hooks.isClosing()) this.#isKeepAlive = false
    if (!this.#isKeepAlive) return 'Connection: close\r\n'
    return keepAliveLines(this.#hooks.idleMs())
  }

  onAnswered(isWhole: boolean) {
    this.#response = null
    if (!this.#isKeepAlive || !isWhole || this.#hasEnded) return this.socket.destroySoon()
    this.#expiresAtMs = Date.now() + this.#hooks.restMs
    this.#request?.discard()
    this.#serveNext()
  }

  readonly #received = (bytes: Buffer) => {
    const request = this.#request
    if (request === null) return this.#read(bytes)
    const end = request.push(bytes, 0)
    if (end < bytes.length) this.#buffer(end === 0 ? bytes : bytes.subarray(end))
    this.#serveNext()
  }

  readonly #drained = () => this.#response?.drained()

  /** Like Node.js: after a half-close the client gets only what was already written. */
  readonly #ended = () => {
    this.#hasEnded = true
    this.#response?.flush()
    this.socket.end()
  }

  readonly #closed = () => {
    this.#hooks.onClosed(this)
    this.#pipelined = []
    this.#request?.closed()
    this.#response?.closed()
  }

  #buffer(bytes: Buffer) {
    this.#pipelined.push(bytes)
    this.#pipelinedBytes += bytes.length
    const isSmall = this.#pipelinedBytes <= WAITING_BYTES_MAX
    if (!isSmall || this.#pipelined.length > WAITING_CHUNKS_MAX) this.socket.pause()
  }

  /** Starts the next request once the answer has ended and the body has been read. */
  #serveNext() {
    if (this.#response !== null || this.#request === null || this.#request.bytesLeft > 0) return
    this.#request = null
    if (this.socket.isPaused()) this.socket.resume()
    if (this.#pipelinedBytes === 0) {
      if (this.#hooks.isClosing()) return this.socket.destroySoon()
      this.#expiresAtMs = Date.now() + this.#hooks.idleMs()
      return
    }
    const bytes = this.#pipelined.length === 1 ? this.#pipelined[0] : Buffer.concat(this.#pipelined)
    this.#pipelined = []
    this.#pipelinedBytes = 0
    this.#read(bytes ?? NOTHING)
  }

  /** `bytes` starts at a request boundary. */
  #read(bytes: Buffer) {
    const head = acceptRequest(bytes, this.#hooks.accepts)
    if (head === null) return this.#handOver(bytes)
    this.#begin(head, bytes)
  }

  #begin(head: RequestHead, bytes: Buffer) {
    const request = new FastRequest(head, this.socket)
    const response = new FastResponse(this)
    this.#isKeepAlive = head.isKeepAlive
    this.#request = request
    this.#response = response
    const end = request.push(bytes, head.size)
    if (end < bytes.length) this.#buffer(bytes.subarray(end))
    this.#hooks.serve(request, response)
  }

  #handOver(bytes: Buffer) {
    const { socket } = this
    socket.off('data', this.#received).off('drain', this.#drained)
    socket.off('error', ignore).off('end', this.#ended).off('close', this.#closed)
    // Data put back into a paused socket waits for the next listener.
    socket.pause()
    socket.unshift(bytes)
    this.#hooks.handOver(this, socket)
    socket.resume()
  }
}

const MS = 1000

let keepAlive = { idleMs: -1, lines: '' }

/** Kept until the timeout changes. */
function keepAliveLines(idleMs: number): string {
  if (idleMs !== keepAlive.idleMs) {
    const seconds = Math.floor(idleMs / MS)
    const lines = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`
    keepAlive = { idleMs, lines }
  }
  return keepAlive.lines
}

/** The `close` event follows. */
const ignore = () => {}
