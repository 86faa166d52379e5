import type { ChatEvents } from './chat-events.ts'

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
  readonly #events: ChatEvents
  readonly #idPrefix: string
  readonly #choice: number
  readonly #started: { id: string; index: unknown }[] = []

  /** `idPrefix` is the prefix of the ids generated for calls without an id. */
  constructor(events: ChatEvents, idPrefix: string, choice = 0) {
    this.#events = events
    this.#idPrefix = idPrefix
    this.#choice = choice
  }

  push(delta: ProviderToolCall): Buffer[] {
    const { id, index, name } = delta
    const known = this.#started.findLastIndex((call) =>
      id === '' ? call.index === index : call.id === id,
    )
    if (known === -1) {
      const position = this.#started.push({ id, index }) - 1
      const named = { id: id || `${this.#idPrefix}-${position}`, name, arguments: delta.arguments }
      return [this.#events.toolCall(position, named, this.#choice)]
    }
    if (delta.arguments === '') return []
    return [this.#events.toolArguments(known, delta.arguments, this.#choice)]
  }
}
