import type { FinishReason } from './chat-events.ts'

/**
 * Filters the finish reasons of one choice in a stream. Some providers send a reason with every
 * event, or with an empty first event; such a reason does not end the choice. A doubtful reason is
 * held back until the end.
 */
export class FinishReasonFilter {
  #hasSpoken = false
  /** The last reason the provider sent. */
  #given: FinishReason | null = null
  #told: FinishReason | null = null
  /** Content followed a reason, so that reason did not end the choice. */
  #goesOn = false

  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  get isGiven(): boolean {
    return this.#given !== null
  }

  /** A reason was emitted, there was content, and no content followed a reason. */
  get isSettled(): boolean {
    return this.#told !== null && this.#hasSpoken && !this.#goesOn
  }

  /** Must be called before `give` for the same event. */
  speaks() {
    this.#goesOn ||= this.isGiven
    this.#hasSpoken = true
  }

  /**
   * Returns the reason if it is to be emitted now; null if it was emitted already or is held back.
   */
  give(reason: FinishReason, { atOnce = false } = {}): FinishReason | null {
    this.#given = reason
    const isCertain = !this.#goesOn && (this.#hasSpoken || reason !== 'stop')
    if (reason === this.#told || !(isCertain || atOnce)) return null
    this.#told = reason
    return reason
  }

  /**
   * Returns the reason to emit at the end of the stream, if any. `reason` overrides the last reason
   * the provider sent.
   */
  end(reason = this.#given): FinishReason | null {
    return reason === this.#told && !this.#goesOn ? null : reason
  }
}
