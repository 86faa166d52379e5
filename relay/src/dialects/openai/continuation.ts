import { isRecord, parseJson, without, writtenOut, type JsonRecord } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { choicesOf, choiceText } from './answer.ts'
import { KeptOutput, type OutputForCounting } from './kept-output.ts'
import { isPlain } from './plain-choice.ts'
import type { StreamHead } from './stream.ts'

/*
 * Lets one stream go on where another broke off. What it says is held back while it repeats, character for
 * character, what the client has; what comes after that is handed on under the name of the first stream. A
 * stream that says anything else has departed, and nothing of it is handed on.
 */

export type ContinuationStart = {
  /** What the client has. */
  readonly said: string
  readonly head: StreamHead
  /** False when the provider was given what was said and goes on without repeating it. */
  readonly repeats: boolean
}

export class StreamContinuation {
  readonly #said: string
  readonly #head: StreamHead
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
    this.#repeated = repeats ? 0 : said.length
  }

  /** It says something else than what the client has. */
  get departed(): boolean {
    return this.#departed
  }

  /** It has said something new, so the client's stream is its own from there on. */
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

  /** What the client is to get of these bytes, which are whole events that a watch has let pass. */
  push(bytes: Buffer): Buffer[] {
    return this.#splitter.push(bytes).flatMap((block) => {
      const data = blockData(block)
      const json = data === null ? undefined : parseJson(data.toString('utf8'))
      const event = isRecord(json) && !this.#departed ? this.#next(json) : null
      const text = event === null ? '' : writtenOut(event)
      return text === '' ? [] : [Buffer.from(`data: ${text}\n\n`)]
    })
  }

  #next(json: JsonRecord): JsonRecord | null {
    const [choice] = choicesOf(json)
    if (choice === undefined) return null
    const rest = this.#tookOver ? choice : this.#beyond(choice)
    if (rest === null) return null
    this.#tookOver = true
    this.#isPlain &&= isPlain(rest)
    this.#kept.addText(choiceText(rest))
    return { ...without(json, 'usage'), ...this.#head, choices: [rest] }
  }

  /** What a choice says beyond what was said before; null when that is nothing. */
  #beyond(choice: JsonRecord): JsonRecord | null {
    const { finish_reason: reason } = choice
    const said = { ...choice, delta: withoutThoughts(choice['delta']) }
    if (!isPlain(said) || reason === 'content_filter') return this.#depart()
    const rest = this.#repeat(choiceText(said))
    if (rest === null) return this.#depart()
    const isEnd = typeof reason === 'string' && reason !== ''
    if (rest === '' && !isEnd) return null
    if (this.#repeated < this.#said.length) return this.#depart()
    return { ...choice, delta: rest === '' ? {} : { content: rest } }
  }

  /** The part of a text that is new; null when it is not what was said. */
  #repeat(text: string): string | null {
    const again = text.slice(0, this.#said.length - this.#repeated)
    if (!this.#said.startsWith(again, this.#repeated)) return null
    this.#repeated += again.length
    return text.slice(again.length)
  }

  #depart(): null {
    this.#departed = true
    return null
  }
}

/** Thoughts that lead to words which are there already are nobody's business any more. */
function withoutThoughts(delta: unknown): JsonRecord {
  return isRecord(delta) ? without(delta, 'role', 'reasoning_content', 'reasoning') : {}
}
