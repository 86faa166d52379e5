import { type AnswerHead, isPlain, outputText, type StreamEvent } from '../form/events.ts'
import { type CountableOutput, OutputBuffer } from './output-buffer.ts'

/*
 * Continues a broken stream with another channel's stream. Output that repeats, character for
 * character, what the client already has is held back. The output after that is sent under the id
 * of the first stream. A stream that says anything else has diverged, and nothing more of it is
 * sent. A provider that got the earlier output as a prefill may still start over: its output is
 * held back while it matches the earlier output, and counts as new otherwise.
 */

/** A shorter text may be repeated on purpose, such as "ha ha". */
const RESTART_MIN_LENGTH = 32

export type ContinuationStart = {
  /** The output that the client already has. */
  readonly sentText: string
  readonly head: Pick<AnswerHead, 'id' | 'created'>
  /** False when the provider got that output as a prefill and continues without repeating it. */
  readonly repeats: boolean
}

export class StreamContinuation {
  readonly #sentText: string
  readonly #head: ContinuationStart['head']
  readonly #repeats: boolean
  readonly #kept = new OutputBuffer()
  /** Length of the earlier output that has been repeated. */
  #repeated: number
  #isPlain = true
  /** The model that continues. */
  #model = ''
  #tookOver = false
  #diverged = false

  constructor({ sentText, head, repeats }: ContinuationStart) {
    this.#sentText = sentText
    this.#head = head
    this.#repeats = repeats
    const isHeldBack = repeats || sentText.length >= RESTART_MIN_LENGTH
    this.#repeated = isHeldBack ? 0 : sentText.length
  }

  /** The stream says something else than the client has. */
  get diverged(): boolean {
    return this.#diverged
  }

  /** The stream had new output, or repeated everything and ended. Now it is the client's stream. */
  get tookOver(): boolean {
    return this.#tookOver
  }

  /** The client's output so far; null if it is not plain text. */
  plainText(): string | null {
    const added = this.#isPlain ? this.#kept.fullText() : null
    return added === null ? null : this.#sentText + added
  }

  get outputBytes(): number {
    return this.#kept.bytes
  }

  /** All new output, or the part up to `outputBytes` = `bytes`. */
  outputTextForCounting(bytes?: number): CountableOutput {
    return this.#kept.forCounting(bytes)
  }

  /** Ends the stream. False when it is shorter than the client's output. */
  end(): boolean {
    this.#tookOver ||= !this.#diverged && this.#repeated === this.#sentText.length
    return this.#tookOver
  }

  /** The events for the client. */
  push(events: readonly StreamEvent[]): StreamEvent[] {
    return events.flatMap((event) => (this.#diverged ? [] : this.#next(event)))
  }

  #next(event: StreamEvent): StreamEvent[] {
    if (event.type === 'start' && event.choice === 0) {
      this.#model = event.head.model
      return []
    }
    if (!('choice' in event)) return []
    const wasWaiting = !this.#tookOver
    const newEvents = wasWaiting ? this.#afterRepeat(event) : [event]
    for (const rest of newEvents) {
      this.#tookOver = true
      this.#isPlain &&= isPlain(rest)
      this.#kept.addText(outputText(rest))
    }
    return wasWaiting && this.#tookOver ? [this.#start(), ...newEvents] : newEvents
  }

  #start(): StreamEvent {
    const head = { ...this.#head, model: this.#model }
    return { type: 'start', choice: 0, head }
  }

  /** The part of an event after the repeated output, and held-back output that proves to be new. */
  #afterRepeat(event: StreamEvent): StreamEvent[] {
    // Reasoning that leads to text the client already has.
    if (event.type === 'reasoning') return []
    const isEnd = event.type === 'finish'
    const isText = isPlain(event) && !(isEnd && event.reason === 'content_filter')
    const repeatedText = this.#sentText.slice(0, this.#repeated)
    const rest = isText ? this.#consumeRepeat(outputText(event)) : null
    if (rest === '' && !isEnd) return []
    const isAllRepeated = this.#repeated === this.#sentText.length
    if (rest !== null && isAllRepeated) return [isEnd ? event : textEvent(rest)]
    const isRestart = !this.#repeats && !isAllRepeated && (isText || repeatedText !== '')
    if (isRestart) return repeatedText === '' ? [event] : [textEvent(repeatedText), event]
    this.#diverged = true
    return []
  }

  /** The new part of a text; null when the text differs from the earlier output. */
  #consumeRepeat(text: string): string | null {
    const expected = text.slice(0, this.#sentText.length - this.#repeated)
    if (!this.#sentText.startsWith(expected, this.#repeated)) return null
    this.#repeated += expected.length
    return text.slice(expected.length)
  }
}

const textEvent = (text: string): StreamEvent => ({
  type: 'text',
  choice: 0,
  text,
  logprobs: undefined,
})
