import {
  type ClientDialect,
  openaiDialect,
  type PassedStream,
  type StreamEncoder,
  type StreamEvent,
} from '@tollgate/relay'
import type { Clock, Timer } from '../../clock.ts'
import type { Deadlines } from '../../deadlines.ts'
import {
  type Listeners,
  NO_LISTENERS,
  notify,
  withListener,
  withoutListener,
} from '../../http/listeners.ts'
import type { ClientResponse } from '../http-types.ts'
import type { Drains } from './drains.ts'

/**
 * The user who pays, and whether hidden reasoning makes the cost known only at the end of the
 * answer. Evaluated when the client disconnects.
 */
type DrainTerms = { readonly user: number; readonly isCostUnknown: () => boolean }

/** Learns that the connection of a response has closed, or that its client has taken it all. */
export type ClosedListener = { readonly onClosed: () => void }

/**
 * The receiving end of an answer: tracks disconnection and how long the upstream is drained
 * afterwards.
 */
export class Client {
  readonly response: ClientResponse
  dialect: ClientDialect
  readonly #drains: Drains
  #drainTerms: DrainTerms | null = null
  #disconnectListeners: Listeners = NO_LISTENERS
  #drainTimeoutListeners: Listeners = NO_LISTENERS
  #closedListener: ClosedListener | null = null
  #disconnected = false
  #isDrainOver = false
  #timer: Timer | undefined
  /** How long the upstream is drained after the disconnect; null while connected. */
  #drainMs: number | null = null
  #disconnectedAtMs = 0
  #isDisposed = false
  #encoder: StreamEncoder | null = null
  /** True once events were passed through that the encoder has not seen. */
  #hasPassedThrough = false

  constructor(response: ClientResponse, drains: Drains, dialect: ClientDialect = openaiDialect) {
    this.response = response
    this.dialect = dialect
    this.#drains = drains
    if (response.destroyed) this.#disconnect()
    else response.on('close', () => this.#closed())
  }

  get clock(): Clock {
    return this.#drains.clock
  }

  /** When clients are too slow. */
  get deadlines(): Deadlines {
    return this.#drains.deadlines
  }

  get disconnected(): boolean {
    return this.#disconnected
  }

  /** Whether the upstream is drained without the client. Fixed at the moment of the disconnect. */
  get drains(): boolean {
    return this.#drainMs === null ? this.#drains.isEnabled : this.#drainMs > 0
  }

  /**
   * Called just before the provider is called. Before that nothing is billed, so nothing is
   * drained.
   */
  setDrainTerms(terms: DrainTerms) {
    this.#drainTerms = terms
  }

  /** The encoder of the response stream, shared by all attempts. */
  get encoder(): StreamEncoder {
    this.#encoder ??= this.dialect.createEncoder()
    return this.#encoder
  }

  /** The bytes of the response: `blocks` in the client's own dialect, or encoded events. */
  bytesOf(blocks: readonly Buffer[], events: readonly StreamEvent[]): Buffer | string | null {
    if (events.length > 0) {
      return this.encoder.write(events) || null
    }
    this.#hasPassedThrough = true
    const passed = this.encoder.native?.passThrough(blocks) ?? blocks
    return passed.length > 1 ? Buffer.concat(passed) : (passed[0] ?? null)
  }

  /** In place of `bytesOf`, for one event of the client's own dialect that only adds a piece. */
  bytesOfPiece(event: Buffer): Buffer {
    this.#hasPassedThrough = true
    return this.encoder.native?.passDelta(event) ?? event
  }

  /** Prepares a continuation with events, by what has passed through so far. */
  continueFrom(passed: PassedStream) {
    if (this.#hasPassedThrough) this.encoder.resume(passed)
    this.#hasPassedThrough = false
  }

  /**
   * Runs when the client disconnects, or immediately if it already has. Returns an unsubscribe
   * function.
   */
  onDisconnect(listener: () => void): () => void {
    if (this.#disconnected) listener()
    else this.#disconnectListeners = withListener(this.#disconnectListeners, listener)
    return () => {
      this.#disconnectListeners = withoutListener(this.#disconnectListeners, listener)
    }
  }

  /** Runs when the drain time of a disconnected client is over, or immediately if it already is. */
  onDrainTimeout(listener: () => void) {
    if (this.#isDrainOver) listener()
    else this.#drainTimeoutListeners = withListener(this.#drainTimeoutListeners, listener)
  }

  offDrainTimeout(listener: () => void) {
    this.#drainTimeoutListeners = withoutListener(this.#drainTimeoutListeners, listener)
  }

  /** On shutdown: limits the remaining drain to `stopMs` after the disconnect. */
  shortenDrain() {
    if (!this.#disconnected || this.#isDrainOver) return
    this.#timer?.close()
    const elapsedMs = this.clock.monotonic() - this.#disconnectedAtMs
    const leftMs = Math.max(0, this.#drains.stopMs - elapsedMs)
    this.#timer = this.clock.after(leftMs, () => this.#endDrain())
  }

  /** Only one part of the gateway ends a response, and listens. */
  listenForClose(listener: ClosedListener) {
    this.#closedListener = listener
  }

  /** Call when nothing is read from the upstream any more. */
  dispose() {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#timer?.close()
    if (this.#drainTerms !== null && (this.#drainMs ?? 0) > 0)
      this.#drains.end(this.#drainTerms.user)
    this.#drainTerms = null
    this.#disconnectListeners = NO_LISTENERS
    this.#drainTimeoutListeners = NO_LISTENERS
  }

  #endDrain() {
    this.#isDrainOver = true
    notify(this.#drainTimeoutListeners)
  }

  #closed() {
    if (!this.response.writableEnded) this.#disconnect()
    this.#closedListener?.onClosed()
  }

  #disconnect() {
    this.#disconnected = true
    if (this.#isDisposed) return
    this.#disconnectedAtMs = this.clock.monotonic()
    if (this.#drainTerms !== null) {
      const { user, isCostUnknown } = this.#drainTerms
      this.#drainMs = this.#drains.begin({ user, isCostUnknown: isCostUnknown() })
    }
    this.#timer = this.clock.after(this.#drainMs ?? 0, () => this.#endDrain())
    notify(this.#disconnectListeners)
  }
}
