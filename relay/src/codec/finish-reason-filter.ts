import type { FinishReason } from './chat-events.ts'

/**
 * The finish reason of one choice of a stream. Should a reason come with every event, or with an empty first one, it
 * is none: one that may yet prove so is held back until the end.
 */
export class FinishReasonFilter {
  #hasSpoken = false
  /** The last that was given. */
  #given: FinishReason | null = null
  #told: FinishReason | null = null
  /** It spoke after a reason, which was no end therefore. */
  #goesOn = false

  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  get isGiven(): boolean {
    return this.#given !== null
  }

  /** One was told, and nothing has spoken against it. */
  get isSettled(): boolean {
    return this.#told !== null && this.#hasSpoken && !this.#goesOn
  }

  /** Before the reason of the same event is given. */
  speaks() {
    this.#goesOn ||= this.isGiven
    this.#hasSpoken = true
  }

  /** What is to be told of it now: nothing where it has been told, or is held back. */
  give(reason: FinishReason, { atOnce = false } = {}): FinishReason | null {
    this.#given = reason
    const isCertain = !this.#goesOn && (this.#hasSpoken || reason !== 'stop')
    if (reason === this.#told || !(isCertain || atOnce)) return null
    this.#told = reason
    return reason
  }

  /** What is to be told at the end of the stream; `reason` where it is understood otherwise by then. */
  end(reason = this.#given): FinishReason | null {
    return reason === this.#told && !this.#goesOn ? null : reason
  }
}
