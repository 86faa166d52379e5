import type { JsonRecord } from '../bytes/json-value.ts'
import { deltaOf, type StreamEvent, withDelta } from '../form/events.ts'
import { EventJson } from './event-json.ts'

export type JsonReader<Item> = {
  /** Called once per event, in order. `[DONE]` and data that is not a JSON object are skipped. */
  readonly event: (json: JsonRecord) => Item[]
  /**
   * Called at the end of the stream. Returns the remaining events, if the stream ended in order.
   */
  readonly end?: () => Item[]
}

/** A delta of reasoning is a string; of others, only the length may be known. */
export type Delta = string | { readonly length: number }

export type EventReader = JsonReader<StreamEvent> & {
  /**
   * Called in place of `event` where that would return the event before with another delta. Absent
   * if every event must be read.
   */
  readonly onDelta?: (delta: Delta, event: StreamEvent) => void
  /** Whether `event` would return nothing for a block, and keeps nothing of it. */
  readonly skips?: (block: Buffer) => boolean
}

/** For clients of the provider's own events: keeps those that mean nothing to `reader`. */
export const withOpaque = (
  reader: Required<Pick<EventReader, 'event' | 'onDelta'>>,
  opaqueEvents: (json: JsonRecord) => StreamEvent[],
): EventReader => ({
  event: (json) => {
    const events = reader.event(json)
    return events.length === 0 ? opaqueEvents(json) : events
  },
  onDelta: (delta, event) => reader.onDelta(delta, event),
})

/**
 * Reads the blocks of a stream. Nearly every block differs from the one before only in its delta:
 * its event is made without its JSON.
 */
export class BlockReader {
  readonly #reader: EventReader
  readonly #json = new EventJson()
  /** The last event that was read, if others of its block do not come again. */
  #last: StreamEvent | null = null
  /** What the last block adds to the output; null if the next cannot be compared with it. */
  #delta: string | null = null

  constructor(reader: EventReader) {
    this.#reader = reader
  }

  /** The event of a block that only has another delta; null for any other block. */
  nextDelta(block: Buffer): StreamEvent | null {
    const [last, delta] = [this.#last, this.#delta]
    if (delta === null || last === null) return null
    const next = this.#json.nextDelta(block, delta)
    // Readers leave out empty deltas.
    if (next === null || next === '') return null
    this.#delta = next
    this.#reader.onDelta?.(next, last)
    return withDelta(last, next)
  }

  /** Like `nextDelta`, but does not build the event. */
  skipsDelta(block: Buffer): boolean {
    const [last, delta] = [this.#last, this.#delta]
    if (delta === null || last === null) return false
    if (last.type === 'reasoning') return this.nextDelta(block) !== null
    const length = this.#json.nextLength(block, delta)
    if (length > 0) this.#reader.onDelta?.({ length }, last)
    return length > 0
  }

  /** Where the delta of the last block is, still escaped. */
  get range() {
    return this.#json.range
  }

  skips(block: Buffer): boolean {
    return this.#reader.skips?.(block) ?? false
  }

  json(block: Buffer) {
    return this.#json.read(block)
  }

  event(json: JsonRecord): StreamEvent[] {
    const events = this.#reader.event(json)
    const [last = null, ...others] = events.length === 1 ? events : events.filter(comesAgain)
    this.#last = this.#reader.onDelta === undefined || others.length > 0 ? null : last
    this.#delta = this.#last && deltaOf(this.#last)
    return events
  }

  end(): StreamEvent[] {
    return this.#reader.end?.() ?? []
  }
}

/** The beginning of an answer and its first counts come once. */
const comesAgain = (event: StreamEvent): boolean =>
  event.type !== 'start' && (event.type !== 'usage' || event.isFinal)
