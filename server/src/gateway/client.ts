import { type ClientDialect, openaiDialect, type StreamSpeaker } from '@tollgate/relay'
import type { ClientResponse } from './wire.ts'

/** The receiving end of an answer: whether it is still there, and how long it is read on without it. */
export class Client {
  readonly response: ClientResponse
  /** What it speaks. */
  readonly dialect: ClientDialect
  readonly #drainMs: (isUnseen: boolean) => number
  #isUnseen = () => false
  #leaveListeners: readonly (() => void)[] = []
  #timeUpListeners: readonly (() => void)[] = []
  #left = false
  #isTimeUp = false
  #timer: NodeJS.Timeout | undefined
  /** As the option said when it left. */
  #drainedMs: number | null = null
  #leftAtMs = 0
  #isDisposed = false
  #speaker: StreamSpeaker | null = null
  /** Its stream has begun in words that the speaker has not heard. */
  #hasBeenPassed = false

  constructor(
    response: ClientResponse,
    /** For how long an upstream is read on without it; `isUnseen`: only the end tells what the answer costs. */
    drainMs: (isUnseen: boolean) => number,
    dialect: ClientDialect = openaiDialect,
  ) {
    this.response = response
    this.dialect = dialect
    this.#drainMs = drainMs
    if (response.destroyed) this.#leave()
    else response.once('close', () => !response.writableEnded && this.#leave())
  }

  get left(): boolean {
    return this.#left
  }

  /** Whether an upstream is read on without it; what that was when it left stays so. */
  get drains(): boolean {
    return (this.#drainedMs ?? this.#drainMs(false)) > 0
  }

  /** Asked when it leaves: whether its answer may cost more than what can be seen of it before its end. */
  costsUnseen(isUnseen: () => boolean) {
    this.#isUnseen = isUnseen
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
    if (this.#left) listener()
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
    if (!this.#left || this.#isTimeUp) return
    clearTimeout(this.#timer)
    const goneMs = performance.now() - this.#leftAtMs
    this.#timer = setTimeout(() => this.#timeUp(), Math.max(0, this.#drainMs(false) - goneMs))
  }

  /** Nothing is read on any more. */
  dispose() {
    this.#isDisposed = true
    clearTimeout(this.#timer)
    this.#isUnseen = () => false
    this.#leaveListeners = []
    this.#timeUpListeners = []
  }

  #timeUp() {
    this.#isTimeUp = true
    notify(this.#timeUpListeners)
  }

  #leave() {
    this.#left = true
    if (this.#isDisposed) return
    this.#leftAtMs = performance.now()
    this.#drainedMs = this.#drainMs(this.#isUnseen())
    this.#timer = setTimeout(() => this.#timeUp(), this.#drainedMs)
    notify(this.#leaveListeners)
  }
}

function notify(listeners: readonly (() => void)[]) {
  for (const listener of listeners) listener()
}

const without = <T>(all: readonly T[], one: T) => all.filter((other) => other !== one)
