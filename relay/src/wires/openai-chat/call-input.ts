import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isPresent,
  isRecord,
  type JsonRecord,
  parseJson,
  stringifyOrEmpty,
  textOf,
} from '../../bytes/json-value.ts'

/** Arguments as JSON text. Ollama's models and others send an object. */
export const argumentsText = (given: unknown): string =>
  isRecord(given) ? stringifyOrEmpty(given) : textOf(given)

/** The content of a result. Tools return values, which agents may forget to write as JSON. */
export function resultContent(given: unknown): unknown {
  if (isRecord(given)) return stringifyOrEmpty(given)
  return typeof given === 'number' || typeof given === 'boolean' ? String(given) : (given ?? '')
}

/** Members that have what a part says, by its type in chat completions, Responses or Messages. */
const PART_MEMBERS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', ['text']],
  ['input_text', ['text']],
  ['output_text', ['text']],
  ['refusal', ['refusal']],
  ['image', ['source']],
  ['document', ['source']],
  ['search_result', ['source']],
  ['image_url', ['image_url']],
  ['video_url', ['video_url']],
  ['input_audio', ['input_audio']],
  ['input_image', ['image_url', 'file_id']],
  ['file', ['file', 'file_data']],
  ['input_file', ['file_data', 'file_url', 'file_id']],
  ['thinking', ['thinking']],
  ['redacted_thinking', ['data']],
  ['tool_use', ['input']],
  ['tool_result', ['tool_use_id']],
])

/** Whether an object in place of a list is a part. Tools return others, such as a file's entry. */
export const isPart = (value: unknown): value is JsonRecord =>
  isRecord(value) && (PART_MEMBERS.get(value['type']) ?? []).some((name) => isPresent(value[name]))

/**
 * The arguments of a call as they arrive. GLM and Qwen sometimes write the object as a JSON text
 * within a JSON text (tailcallhq/forgecode#2764); such a text is held back until it is complete.
 */
export class CallInput {
  #held = ''
  #isEncoded = false
  #isEscaped = false
  #isReleased = false

  /** The object's next piece. */
  push(piece: string): string {
    if (this.#isReleased) return piece
    this.#held += piece
    const start = this.#isEncoded ? 0 : piece.search(/\S/)
    if (start === -1) return ''
    if (!this.#isEncoded && piece[start] !== '"') return this.#release(this.#held)
    const isComplete = this.#endsText(piece, this.#isEncoded ? 0 : start + 1)
    this.#isEncoded = true
    return isComplete ? this.#release(withoutEncoding(this.#held)) : ''
  }

  /** What was held back by a stream that ended early. */
  remaining(): string {
    return this.#isReleased ? '' : this.#release(this.#held)
  }

  #release(text: string): string {
    this.#isReleased = true
    this.#held = ''
    return text
  }

  #endsText(piece: string, start: number): boolean {
    for (let at = start; at < piece.length; at += 1) {
      if (piece[at] === '"' && !this.#isEscaped) return true
      this.#isEscaped = piece[at] === '\\' && !this.#isEscaped
    }
    return false
  }
}

/** Text that holds no encoded object stays as it is. */
export function withoutEncoding(text: string): string {
  const inner = text.trimStart().startsWith('"') ? parseJson(text) : undefined
  return typeof inner === 'string' && isRecord(jsonIn(Buffer.from(inner))) ? inner : text
}
