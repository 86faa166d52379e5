import { type ClientDialect, openaiDialect, type StreamSpeaker } from '@tollgate/relay'
import type { ClientResponse } from '../http-types.ts'
import type { Drains } from './drains.ts'

/**
 * The user who pays, and whether hidden reasoning makes the cost known only at the end of the
 * answer. Evaluated when the client disconnects.
 */
type Owner = { readonly user: number; readonly isUnseen: () => boolean }

/**
 * The receiving end of an answer: tracks disconnection and how long the upstream is drained
 * afterwards.
 */
export class Client {
  readonly response: ClientResponse
  readonly dialect: ClientDialect
  readonly #drains: Drains
  #owner: Owner | null = null
  #leaveListeners: readonly (() => void)[] = []
  #timeUpListeners: readonly (() => void)[] = []
  #disconnected = false
  #isTimeUp = false
  #timer: NodeJS.Timeout | undefined
  /** How long the upstream is drained after the disconnect; null while connected. */
  #drainedMs: number | null = null
  #leftAtMs = 0
  #isDisposed = false
  #speaker: StreamSpeaker | null = null
  /** True once events were passed through that the encoder has not seen. */
  #hasBeenPassed = false

  constructor(response: ClientResponse, drains: Drains, dialect: ClientDialect = openaiDialect) {
    this.response = response
    this.dialect = dialect
    this.#drains = drains
    if (response.destroyed) this.#leave()
    else response.once('close', () => !response.writableEnded && this.#leave())
  }

  get disconnected(): boolean {
    return this.#disconnected
  }

  /** Whether the upstream is drained without the client. Fixed at the moment of the disconnect. */
  get drains(): boolean {
    return this.#drainedMs === null ? this.#drains.isEnabled : this.#drainedMs > 0
  }

  /**
   * Called just before the provider is called. Before that nothing is billed, so nothing is
   * drained.
   */
  ownedBy(owner: Owner) {
    this.#owner = owner
  }

  /** The encoder of the response stream, shared by all attempts. */
  get speaker(): StreamSpeaker {
    this.#speaker ??= this.dialect.speak()
    return this.#speaker
  }

  /** Returns the bytes to send for whole events in the client's own dialect. */
  passOn(events: readonly Buffer[]): readonly Buffer[] {
    this.#hasBeenPassed = true
    return this.speaker.native?.pass(events) ?? events
  }

  /** Prepares a continuation in OpenAI's form; `event` states what was passed through so far. */
  goesOnFrom(event: string) {
    if (this.#hasBeenPassed) this.speaker.say([Buffer.from(event)])
    this.#hasBeenPassed = false
  }

  /**
   * Runs when the client disconnects, or immediately if it already has. Returns an unsubscribe
   * function.
   */
  onLeave(listener: () => void): () => void {
    if (this.#disconnected) listener()
    else this.#leaveListeners = [...this.#leaveListeners, listener]
    return () => {
      this.#leaveListeners = without(this.#leaveListeners, listener)
    }
  }

  /** Runs when the drain time of a disconnected client is over, or immediately if it already is. */
  onTimeUp(listener: () => void): () => void {
    if (this.#isTimeUp) listener()
    else this.#timeUpListeners = [...this.#timeUpListeners, listener]
    return () => {
      this.#timeUpListeners = without(this.#timeUpListeners, listener)
    }
  }

  /** On shutdown: limits the remaining drain to `stopMs` after the disconnect. */
  hurry() {
    if (!this.#disconnected || this.#isTimeUp) return
    clearTimeout(this.#timer)
    const goneMs = performance.now() - this.#leftAtMs
    this.#timer = setTimeout(() => this.#timeUp(), Math.max(0, this.#drains.stopMs - goneMs))
  }

  /** Call when nothing is read from the upstream any more. */
  dispose() {
    if (this.#isDisposed) return
    this.#isDisposed = true
    clearTimeout(this.#timer)
    if (this.#owner !== null && (this.#drainedMs ?? 0) > 0) this.#drains.end(this.#owner.user)
    this.#owner = null
    this.#leaveListeners = []
    this.#timeUpListeners = []
  }

  #timeUp() {
    this.#isTimeUp = true
    notify(this.#timeUpListeners)
  }

  #leave() {
    this.#disconnected = true
    if (this.#isDisposed) return
    this.#leftAtMs = performance.now()
    if (this.#owner !== null) {
      const { user, isUnseen } = this.#owner
      this.#drainedMs = this.#drains.begin({ user, isUnseen: isUnseen() })
    }
    this.#timer = setTimeout(() => this.#timeUp(), this.#drainedMs ?? 0)
    notify(this.#leaveListeners)
  }
}

function notify(listeners: readonly (() => void)[]) {
  for (const listener of listeners) listener()
}

const without = <T>(all: readonly T[], one: T) => all.filter((other) => other !== one)
