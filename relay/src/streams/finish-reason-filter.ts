import type { FinishReason } from '../form/answer.ts'

/**
 * Filters the finish reasons of one choice in a stream. Some providers send a reason with every
 * event, or with an empty first event; such a reason does not end the choice. A doubtful reason is
 * held back until the end.
 */
export class FinishReasonFilter {
  #hasContent = false
  /** The last reason the provider sent. */
  #received: FinishReason | null = null
  #emitted: FinishReason | null = null
  /** Content followed a reason, so that reason did not end the choice. */
  #contentFollowedReason = false

  get hasContent(): boolean {
    return this.#hasContent
  }

  get hasReason(): boolean {
    return this.#received !== null
  }

  /** A reason was emitted, there was content, and no content followed a reason. */
  get isSettled(): boolean {
    return this.#emitted !== null && this.#hasContent && !this.#contentFollowedReason
  }

  /** Must be called before `accept` for the same event. */
  noteContent() {
    this.#contentFollowedReason ||= this.hasReason
    this.#hasContent = true
  }

  /**
   * Returns the reason if it is to be emitted now; null if it was emitted already or is held back.
   */
  accept(reason: FinishReason, { atOnce = false } = {}): FinishReason | null {
    this.#received = reason
    const isCertain = !this.#contentFollowedReason && (this.#hasContent || reason !== 'stop')
    if (reason === this.#emitted || !(isCertain || atOnce)) return null
    this.#emitted = reason
    return reason
  }

  /**
   * Returns the reason to emit at the end of the stream, if any. `reason` overrides the last reason
   * the provider sent.
   */
  end(reason = this.#received): FinishReason | null {
    return reason === this.#emitted && !this.#contentFollowedReason ? null : reason
  }
}
