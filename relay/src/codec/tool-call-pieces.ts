import type { ChatEvents } from './chat-events.ts'

export type ToolCallPiece = {
  readonly id: string
  readonly index: unknown
  readonly name: string
  readonly arguments: string
}

/**
 * Emits the streamed tool calls of one choice. Pieces of a call share its id, or its index if they
 * have no id.
 */
export class ToolCallPieces {
  readonly #events: ChatEvents
  readonly #madeId: string
  readonly #choice: number
  readonly #begun: { id: string; index: unknown }[] = []

  /** `madeId` is the prefix of the ids generated for calls without an id. */
  constructor(events: ChatEvents, madeId: string, choice = 0) {
    this.#events = events
    this.#madeId = madeId
    this.#choice = choice
  }

  push(piece: ToolCallPiece): Buffer[] {
    const { id, index, name } = piece
    const known = this.#begun.findLastIndex((call) =>
      id === '' ? call.index === index : call.id === id,
    )
    if (known === -1) {
      const position = this.#begun.push({ id, index }) - 1
      const named = { id: id || `${this.#madeId}-${position}`, name, arguments: piece.arguments }
      return [this.#events.toolCall(position, named, this.#choice)]
    }
    if (piece.arguments === '') return []
    return [this.#events.toolArguments(known, piece.arguments, this.#choice)]
  }
}
