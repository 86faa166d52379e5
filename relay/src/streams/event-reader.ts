import type { JsonRecord } from '../bytes/json-value.ts'
import { pieceOf, type StreamEvent, withPiece } from '../form/events.ts'
import { EventJson } from './event-json.ts'

export type JsonReader<Item> = {
  /** Called once per event, in order. `[DONE]` and data that is not a JSON object are skipped. */
  readonly event: (json: JsonRecord) => Item[]
  /**
   * Called at the end of the stream. Returns the remaining events, if the stream ended in order.
   */
  readonly end?: () => Item[]
}

export type EventReader = JsonReader<StreamEvent> & {
  /**
   * Called in place of `event` where that would return the last event with another piece of output.
   * Absent if every event must be read.
   */
  readonly repeat?: (event: StreamEvent) => void
}

/** For clients of the provider's own events: keeps those that mean nothing to `reader`. */
export const withOpaque = (
  reader: Required<Pick<EventReader, 'event' | 'repeat'>>,
  opaqueEvents: (json: JsonRecord) => StreamEvent[],
): EventReader => ({
  event: (json) => {
    const events = reader.event(json)
    return events.length === 0 ? opaqueEvents(json) : events
  },
  repeat: (event) => reader.repeat(event),
})

/**
 * Reads the blocks of a stream. Nearly every block differs from the one before only in the piece
 * that it adds to the same output: its event is made without its JSON.
 */
export class BlockReader {
  readonly #reader: EventReader
  readonly #json = new EventJson()
  /** The only event of the last block. */
  #last: StreamEvent | null = null

  constructor(reader: EventReader) {
    this.#reader = reader
  }

  /** The event of a block that adds a further piece; null for any other block. */
  further(block: Buffer): StreamEvent | null {
    const last = this.#last
    const piece = last === null ? null : pieceOf(last)
    if (last === null || piece === null) return null
    const next = this.#json.nextText(block, piece)
    // Readers leave out empty pieces.
    if (next === null || next === '') return null
    this.#last = withPiece(last, next)
    this.#reader.repeat?.(this.#last)
    return this.#last
  }

  /** Where the piece of the last block is, still escaped. */
  get range() {
    return this.#json.range
  }

  json(block: Buffer) {
    return this.#json.read(block)
  }

  event(json: JsonRecord): StreamEvent[] {
    const events = this.#reader.event(json)
    const isRepeatable = this.#reader.repeat !== undefined && events.length === 1
    this.#last = (isRepeatable && events[0]) || null
    return events
  }

  end(): StreamEvent[] {
    return this.#reader.end?.() ?? []
  }
}
