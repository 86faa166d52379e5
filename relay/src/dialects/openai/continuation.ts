import { jsonIn } from '../../json-parse.ts'
import { isRecord, without, writtenOut, type JsonRecord } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { choicesOf, choiceText } from './answer.ts'
import { KeptOutput, type OutputForCounting } from './kept-output.ts'
import type { StreamHead } from './stream.ts'
import { isPlain } from './text-delta.ts'

/*
 * Lets one stream go on where another broke off. What it says is held back while it repeats, character for
 * character, what the client has; what comes after that is handed on under the name of the first stream. A
 * stream that says anything else has departed, and nothing of it is handed on. A provider that was given what was
 * said may start anew all the same: what it says is held back as long as it may be that, and is new otherwise.
 */

/** Of a shorter text it may well be meant that it is said again: "ha ha". */
const STARTED_ANEW_LENGTH_LEAST = 32

export type ContinuationStart = {
  /** What the client has. */
  readonly said: string
  readonly head: StreamHead
  /** False when the provider was given what was said and is to go on without repeating it. */
  readonly repeats: boolean
}

export class StreamContinuation {
  readonly #said: string
  readonly #head: StreamHead
  readonly #repeats: boolean
  readonly #splitter = new SseSplitter()
  readonly #kept = new KeptOutput()
  /** How much of what was said has been repeated. */
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

  /** It says something else than what the client has. */
  get departed(): boolean {
    return this.#departed
  }

  /** It has said something new, or ended with all that the client has: from there on the client's stream is its own. */
  get tookOver(): boolean {
    return this.#tookOver
  }

  /** What the client has by now, if it is plain text; else null. */
  plainText(): string | null {
    const added = this.#isPlain ? this.#kept.wholeText() : null
    return added === null ? null : this.#said + added
  }

  /** Of what is new. */
  get outputBytes(): number {
    return this.#kept.bytes
  }

  /** Of what is new: all, or what was said while `outputBytes` were that many. */
  outputTextForCounting(bytes?: number): OutputForCounting {
    return this.#kept.forCounting(bytes)
  }

  /** It says no more; false when that is less than the client has. */
  end(): boolean {
    this.#tookOver ||= !this.#departed && this.#repeated === this.#said.length
    return this.#tookOver
  }

  /** What the client is to get of these bytes, which are whole events that a watch has let pass. */
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

  /** What a choice says beyond what was said before, in one piece or with what was held before it. */
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

  /** The part of a text that is new; null when it is not what was said. */
  #repeat(text: string): string | null {
    const again = text.slice(0, this.#said.length - this.#repeated)
    if (!this.#said.startsWith(again, this.#repeated)) return null
    this.#repeated += again.length
    return text.slice(again.length)
  }
}

const textChoice = (content: string) => ({ index: 0, delta: { content }, finish_reason: null })

/** Thoughts that lead to words which are there already are nobody's business any more. */
function withoutThoughts(delta: unknown): JsonRecord {
  return isRecord(delta) ? without(delta, 'role', 'reasoning_content', 'reasoning') : {}
}
