import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TransportFailure } from '@tollgate/relay'
import type { Clock, Timer } from '../../clock.ts'
import { flushAfterTick, flushHeldAfterTick, isIdle } from '../../http/write-coalescing.ts'
import { BadMessage } from '../../http1/bad-message.ts'
import { ResponseParser, type ParserEvents } from '../../http1/response-parser.ts'
import type { HttpExchange, HttpRequest } from './http-exchange.ts'
import type { OpenSocket, SocketEvents } from './open-socket.ts'

/** Shorter than the idle timeout of most providers and proxies (60 s), unless they announce one. */
const IDLE_MS = 50_000
const IDLE_MS_MAX = 600_000
/** A close by the provider may still be in transit. */
const IDLE_MARGIN_MS = 2000

/** What is left of a request that was written. */
const SENT = Buffer.alloc(0)

export type ConnectionOwner = {
  onIdle: (connection: Connection) => void
  /** Called once. */
  onClosed: (connection: Connection) => void
}

export class Connection implements ParserEvents, SocketEvents {
  readonly #opening: { destroy: () => void }
  readonly #parser = new ResponseParser(this)
  readonly #owner: ConnectionOwner
  readonly #connectTimer: Timer
  readonly #clock: Clock
  #socket: Duplex | null = null
  /** A request that goes out with those on other connections; null for none. */
  #held: Buffer | null = null
  #exchange: HttpExchange | null
  #isDestroyed = false
  #hasAnswered = false
  #idleMs = IDLE_MS
  #idleUntil = 0

  /** `first` is sent once connected. Throws if the connection is impossible. */
  constructor(
    open: OpenSocket,
    first: HttpExchange,
    { owner, connectMs, clock }: { owner: ConnectionOwner; connectMs: number; clock: Clock },
  ) {
    this.#owner = owner
    this.#clock = clock
    this.#exchange = first
    first.attachTo(this)
    this.#opening = open(this)
    this.#connectTimer = clock.after(connectMs, () => this.#break('connect_timeout'))
  }

  /** The peer may have closed the connection, idle for its keep-alive timeout. */
  hasExpired(nowMs: number): boolean {
    return nowMs >= this.#idleUntil
  }

  send(exchange: HttpExchange) {
    this.#exchange = exchange
    this.#hasAnswered = false
    exchange.attachTo(this)
    if (this.#socket !== null) this.#write(this.#socket, exchange.request)
  }

  pause() {
    this.#socket?.pause()
  }

  resume() {
    this.#socket?.resume()
  }

  destroy() {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#connectTimer.close()
    this.#parser.stop()
    this.#opening.destroy()
    this.#socket?.destroy()
    this.#owner.onClosed(this)
  }

  opened(socket: Duplex) {
    this.#connectTimer.close()
    this.#socket = socket
    if (this.#exchange !== null) this.#write(socket, this.#exchange.request)
  }

  received(bytes: Buffer) {
    if (!this.#isDestroyed) this.#read(bytes)
  }

  lent(bytes: Buffer, length: number) {
    if (!this.#isDestroyed) this.#read(bytes, length)
  }

  /**
   * Only a clean end completes an answer without a length; a broken connection may have truncated
   * it.
   */
  ended() {
    if (this.#isDestroyed) return
    this.#read(null)
    this.closed()
  }

  closed() {
    if (this.#socket === null) this.#break('connect')
    else this.#break(this.#hasAnswered ? 'closed_early' : 'reset')
  }

  refused(failure: TransportFailure) {
    this.#break(failure)
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#hasAnswered = true
    const [, seconds] = /\btimeout=(\d{1,6})/i.exec(String(headers['keep-alive'] ?? '')) ?? []
    this.#idleMs =
      seconds === undefined
        ? IDLE_MS
        : Math.min(Number(seconds) * 1000 - IDLE_MARGIN_MS, IDLE_MS_MAX)
    this.#exchange?.sink.head(status, headers)
  }

  offer(bytes: Buffer): boolean {
    return this.#exchange?.sink.offer?.(bytes) === true
  }

  data(bytes: Buffer) {
    this.#exchange?.sink.data(bytes)
  }

  end(isReusable: boolean) {
    const exchange = this.#exchange
    this.#exchange = null
    exchange?.end()
    // A request that is not fully sent would block the next one, or be answered in its place.
    const isSent = this.#held === null && this.#socket?.writableLength === 0
    if (isReusable && isSent && this.#idleMs > 0) {
      this.#idleUntil = this.#clock.now() + this.#idleMs
      this.resume()
      this.#owner.onIdle(this)
    } else this.destroy()
    exchange?.finish()
  }

  #write(socket: Duplex, request: HttpRequest) {
    const { bytes, largeBody } = request
    // A small request is a slice of a pooled buffer, all of which a long answer would keep.
    request.bytes = SENT
    request.largeBody = null
    this.#parser.begin()
    if (largeBody === null && isIdle(socket)) {
      this.#held = bytes
      return flushHeldAfterTick(this)
    }
    flushAfterTick(socket)
    socket.write(bytes)
    if (largeBody !== null) socket.write(largeBody)
  }

  /** Sends the request that is held. */
  flush() {
    const held = this.#held
    this.#held = null
    if (held !== null && !this.#isDestroyed) this.#socket?.write(held)
  }

  /**
   * Null is the end of the connection. An error thrown by the sink also makes the answer
   * malformed; other requests continue. With a length, the bytes are lent.
   */
  #read(bytes: Buffer | null, length?: number) {
    const exchange = this.#exchange
    try {
      if (bytes === null) this.#parser.close()
      else if (length === undefined) this.#parser.push(bytes)
      else this.#parser.pushLent(bytes, length)
    } catch (error) {
      // After the end of the answer the connection may already carry another exchange.
      if (this.#exchange !== exchange && this.#exchange !== null) return
      this.#break(error instanceof BadMessage ? error.failure : 'malformed')
    }
  }

  #break(failure: TransportFailure) {
    if (this.#isDestroyed) return
    const exchange = this.#exchange
    this.#exchange = null
    this.destroy()
    exchange?.fail(failure)
  }
}
