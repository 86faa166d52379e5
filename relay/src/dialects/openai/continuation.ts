import { jsonIn } from '../../json-parse.ts'
import { isRecord, without, writtenOut, type JsonRecord } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { choicesOf, choiceText } from './answer.ts'
import { KeptOutput, type OutputForCounting } from './kept-output.ts'
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
const STARTED_ANEW_LENGTH_LEAST = 32

export type ContinuationStart = {
  /** The output that the client already has. */
  readonly said: string
  readonly head: StreamHead
  /** False when the provider got that output as a prefill and continues without repeating it. */
  readonly repeats: boolean
}

export class StreamContinuation {
  readonly #said: string
  readonly #head: StreamHead
  readonly #repeats: boolean
  readonly #splitter = new SseSplitter()
  readonly #kept = new KeptOutput()
  /** Length of the earlier output that has been repeated. */
  #repeated: number
  #isPlain = true
  #tookOver = false
  #departed = false

  constructor({ said, head, repeats }: ContinuationStart) {
    this.#said = said
    this.#head = head
    this.#repeats = repeats
    const isHeldBack = repeats || said.length >= STARTED_ANEW_LENGTH_LEAST
    this.#repeated = isHeldBack ? 0 : said.length
  }

  /** The stream says something else than the client has. */
  get departed(): boolean {
    return this.#departed
  }

  /** The stream had new output, or repeated everything and ended. Now it is the client's stream. */
  get tookOver(): boolean {
    return this.#tookOver
  }

  /** The client's output so far; null if it is not plain text. */
  plainText(): string | null {
    const added = this.#isPlain ? this.#kept.wholeText() : null
    return added === null ? null : this.#said + added
  }

  get outputBytes(): number {
    return this.#kept.bytes
  }

  /** All new output, or the part up to `outputBytes` = `bytes`. */
  outputTextForCounting(bytes?: number): OutputForCounting {
    return this.#kept.forCounting(bytes)
  }

  /** Ends the stream. False when it is shorter than the client's output. */
  end(): boolean {
    this.#tookOver ||= !this.#departed && this.#repeated === this.#said.length
    return this.#tookOver
  }

  /** The bytes for the client. `bytes` are complete events that an observer has let pass. */
  push(bytes: Buffer): Buffer[] {
    return this.#splitter.push(bytes).flatMap((block) => {
      const data = blockData(block)
      const json = data === null ? undefined : jsonIn(data)
      const events = isRecord(json) && !this.#departed ? this.#next(json) : []
      const texts = events.map(writtenOut).filter((text) => text !== '')
      return texts.map((text) => Buffer.from(`data: ${text}\n\n`))
    })
  }

  #next(json: JsonRecord): JsonRecord[] {
    const [choice] = choicesOf(json)
    if (choice === undefined) return []
    const news = this.#tookOver ? [choice] : this.#beyond(choice)
    return news.map((rest) => {
      this.#tookOver = true
      this.#isPlain &&= isPlain(rest)
      this.#kept.addText(choiceText(rest))
      return { ...without(json, 'usage'), ...this.#head, choices: [rest] }
    })
  }

  /** The part of a choice after the repeated output, and held-back output that proves to be new. */
  #beyond(choice: JsonRecord): JsonRecord[] {
    const { finish_reason: reason } = choice
    const said = { ...choice, delta: withoutThoughts(choice['delta']) }
    const isText = isPlain(said) && reason !== 'content_filter'
    const held = this.#said.slice(0, this.#repeated)
    const rest = isText ? this.#repeat(choiceText(said)) : null
    const isEnd = typeof reason === 'string' && reason !== ''
    if (rest === '' && !isEnd) return []
    const isAllRepeated = this.#repeated === this.#said.length
    if (rest !== null && isAllRepeated) {
      return [{ ...choice, delta: rest === '' ? {} : { content: rest } }]
    }
    const isNew = !this.#repeats && !isAllRepeated && (isText || held !== '')
    if (isNew) return held === '' ? [said] : [textChoice(held), said]
    this.#departed = true
    return []
  }

  /** The new part of a text; null when the text differs from the earlier output. */
  #repeat(text: string): string | null {
    const again = text.slice(0, this.#said.length - this.#repeated)
    if (!this.#said.startsWith(again, this.#repeated)) return null
    this.#repeated += again.length
    return text.slice(again.length)
  }
}

const textChoice = (content: string) => ({ index: 0, delta: { content }, finish_reason: null })

/** Drops reasoning that leads to text the client already has. */
function withoutThoughts(delta: unknown): JsonRecord {
  return isRecord(delta) ? without(delta, 'role', 'reasoning_content', 'reasoning') : {}
}
