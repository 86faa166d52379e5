import { type ClientDialect, openaiDialect, type StreamSpeaker } from '@tollgate/relay'
import type { ClientResponse } from '../http-types.ts'
import type { Drains } from './drains.ts'

/** Who pays for an answer, and whether only its end tells what it costs: asked when the client leaves. */
type Owner = { readonly user: number; readonly isUnseen: () => boolean }

/** The receiving end of an answer: whether it is still there, and how long it is read on without it. */
export class Client {
  readonly response: ClientResponse
  /** What it speaks. */
  readonly dialect: ClientDialect
  readonly #drains: Drains
  #owner: Owner | null = null
  #leaveListeners: readonly (() => void)[] = []
  #timeUpListeners: readonly (() => void)[] = []
  #disconnected = false
  #isTimeUp = false
  #timer: NodeJS.Timeout | undefined
  /** For how long its upstream is read on, decided when it left; null before. */
  #drainedMs: number | null = null
  #leftAtMs = 0
  #isDisposed = false
  #speaker: StreamSpeaker | null = null
  /** Its stream has begun in words that the speaker has not heard. */
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

  /** Whether an upstream is read on without it; what that was when it left stays so. */
  get drains(): boolean {
    return this.#drainedMs === null ? this.#drains.isEnabled : this.#drainedMs > 0
  }

  /** Its provider is about to be asked; until then nothing costs, and nothing is read on. */
  ownedBy(owner: Owner) {
    this.#owner = owner
  }

  /** Of its one stream, whoever says it. */
  get speaker(): StreamSpeaker {
    this.#speaker ??= this.dialect.speak()
    return this.#speaker
  }

  /** What is to be sent for whole events in its own dialect. */
  passOn(events: readonly Buffer[]): readonly Buffer[] {
    this.#hasBeenPassed = true
    return this.speaker.native?.pass(events) ?? events
  }

  /** Others go on in OpenAI's form where `event` says the same as what was passed on. */
  goesOnFrom(event: string) {
    if (this.#hasBeenPassed) this.speaker.say([Buffer.from(event)])
    this.#hasBeenPassed = false
  }

  /** Called when the client leaves; at once if it has. Returns how to stop listening. */
  onLeave(listener: () => void): () => void {
    if (this.#disconnected) listener()
    else this.#leaveListeners = [...this.#leaveListeners, listener]
    return () => {
      this.#leaveListeners = without(this.#leaveListeners, listener)
    }
  }

  /** Called when the client has been gone for as long as an upstream is read on without it; at once if it has. */
  onTimeUp(listener: () => void): () => void {
    if (this.#isTimeUp) listener()
    else this.#timeUpListeners = [...this.#timeUpListeners, listener]
    return () => {
      this.#timeUpListeners = without(this.#timeUpListeners, listener)
    }
  }

  /** The server stops: whoever has left is read on for no longer than usual. */
  hurry() {
    if (!this.#disconnected || this.#isTimeUp) return
    clearTimeout(this.#timer)
    const goneMs = performance.now() - this.#leftAtMs
    this.#timer = setTimeout(() => this.#timeUp(), Math.max(0, this.#drains.stopMs - goneMs))
  }

  /** Nothing is read on any more. */
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
