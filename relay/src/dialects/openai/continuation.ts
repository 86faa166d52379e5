import { jsonIn } from '../../json-parse.ts'
import { isRecord, omit, stringifyOrEmpty, type JsonRecord } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { choicesOf, choiceText } from './answer.ts'
import { OutputBuffer, type CountableOutput } from './output-buffer.ts'
import type { StreamHead } from './stream.ts'
import { isPlain } from './text-delta.ts'

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
  readonly head: StreamHead
  /** False when the provider got that output as a prefill and continues without repeating it. */
  readonly repeats: boolean
}

export class StreamContinuation {
  readonly #sentText: string
  readonly #head: StreamHead
  readonly #repeats: boolean
  readonly #splitter = new SseSplitter()
  readonly #kept = new OutputBuffer()
  /** Length of the earlier output that has been repeated. */
  #repeated: number
  #isPlain = true
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

  /** The bytes for the client. `bytes` are complete events that an observer has let pass. */
  push(bytes: Buffer): Buffer[] {
    return this.#splitter.push(bytes).flatMap((block) => {
      const data = blockData(block)
      const json = data === null ? undefined : jsonIn(data)
      const events = isRecord(json) && !this.#diverged ? this.#next(json) : []
      const texts = events.map(stringifyOrEmpty).filter((text) => text !== '')
      return texts.map((text) => Buffer.from(`data: ${text}\n\n`))
    })
  }

  #next(json: JsonRecord): JsonRecord[] {
    const [choice] = choicesOf(json)
    if (choice === undefined) return []
    const newChoices = this.#tookOver ? [choice] : this.#afterRepeat(choice)
    return newChoices.map((rest) => {
      this.#tookOver = true
      this.#isPlain &&= isPlain(rest)
      this.#kept.addText(choiceText(rest))
      return { ...omit(json, 'usage'), ...this.#head, choices: [rest] }
    })
  }

  /** The part of a choice after the repeated output, and held-back output that proves to be new. */
  #afterRepeat(choice: JsonRecord): JsonRecord[] {
    const { finish_reason: reason } = choice
    const sentText = { ...choice, delta: withoutReasoning(choice['delta']) }
    const isText = isPlain(sentText) && reason !== 'content_filter'
    const repeatedText = this.#sentText.slice(0, this.#repeated)
    const rest = isText ? this.#consumeRepeat(choiceText(sentText)) : null
    const isEnd = typeof reason === 'string' && reason !== ''
    if (rest === '' && !isEnd) return []
    const isAllRepeated = this.#repeated === this.#sentText.length
    if (rest !== null && isAllRepeated) {
      return [{ ...choice, delta: rest === '' ? {} : { content: rest } }]
    }
    const isRestart = !this.#repeats && !isAllRepeated && (isText || repeatedText !== '')
    if (isRestart) return repeatedText === '' ? [sentText] : [textChoice(repeatedText), sentText]
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

const textChoice = (content: string) => ({ index: 0, delta: { content }, finish_reason: null })

/** Drops reasoning that leads to text the client already has. */
function withoutReasoning(delta: unknown): JsonRecord {
  return isRecord(delta) ? omit(delta, 'role', 'reasoning_content', 'reasoning') : {}
}
