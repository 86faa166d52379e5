import type { StreamEvent } from '../form/events.ts'
import type { AnswerEvents } from './answer-events.ts'

export type ProviderToolCall = {
  readonly id: string
  readonly index: unknown
  readonly name: string
  readonly arguments: string
}

/**
 * Emits the streamed tool calls of one choice. Pieces of a call share its id, or its index if they
 * have no id.
 */
export class ToolCallEncoder {
  readonly #events: AnswerEvents
  readonly #idPrefix: string
  readonly #choice: number
  readonly #started: { id: string; index: unknown }[] = []

  /** `idPrefix` is the prefix of the ids generated for calls without an id. */
  constructor(events: AnswerEvents, idPrefix: string, choice = 0) {
    this.#events = events
    this.#idPrefix = idPrefix
    this.#choice = choice
  }

  push(delta: ProviderToolCall): StreamEvent[] {
    const { id, index, name } = delta
    const known = this.#started.findLastIndex((call) =>
      id === '' ? call.index === index : call.id === id,
    )
    if (known === -1) {
      const position = this.#started.push({ id, index }) - 1
      const named = { id: id || `${this.#idPrefix}-${position}`, name, input: delta.arguments }
      return [this.#events.toolCall(position, named, this.#choice)]
    }
    if (delta.arguments === '') return []
    return [this.#events.toolInput(known, delta.arguments, this.#choice)]
  }
}
