import { listOf } from '../../bytes/json-value.ts'

/**
 * Tencent stops after a stop sequence, OpenAI before it, so the sequence is removed from the end.
 */
export class StopSequenceFilter {
  readonly #stops: readonly string[]
  /** Text that may be the start of a stop sequence. */
  #held = ''

  constructor(stop: unknown) {
    const stops = typeof stop === 'string' ? [stop] : listOf(stop)
    this.#stops = stops.filter((text) => typeof text === 'string' && text !== '').map(String)
  }

  /** Returns the text that is certainly not part of a stop sequence. */
  push(text: string): string {
    const pending = this.#held + text
    const longest = Math.max(0, ...this.#stops.map(({ length }) => length))
    let length = Math.min(longest, pending.length)
    while (length > 0 && !this.#isStopPrefix(pending.slice(pending.length - length))) length -= 1
    this.#held = pending.slice(pending.length - length)
    return pending.slice(0, pending.length - length)
  }

  end(): string {
    const held = this.#held
    this.#held = ''
    const stops = this.#stops.filter((stop) => held.endsWith(stop))
    return held.slice(0, held.length - Math.max(0, ...stops.map(({ length }) => length)))
  }

  #isStopPrefix(text: string): boolean {
    return this.#stops.some((stop) => stop.startsWith(text))
  }
}
