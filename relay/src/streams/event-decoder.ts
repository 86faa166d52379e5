import { ByteCollector } from '../bytes/byte-collector.ts'
import { hasTooManyNodes } from '../bytes/json-limits.ts'
import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord } from '../bytes/json-value.ts'
import { EVENT_BYTES_MAX, SseSplitter } from '../bytes/sse.ts'
import { errorChunk, type ChunkDecoder } from '../form/chat-chunk.ts'
import { errorEvent, type EventDecoder, type StreamEvent } from '../form/events.ts'
import { EventJson } from './event-json.ts'

export type JsonReader<Item> = {
  /** Called once per event, in order. `[DONE]` and data that is not a JSON object are skipped. */
  readonly event: (json: JsonRecord) => Item[]
  /**
   * Called at the end of the stream. Returns the remaining events, if the stream ended in order.
   */
  readonly end?: () => Item[]
}

export type EventReader = JsonReader<StreamEvent>

/** For clients of the provider's own events: keeps those that mean nothing to `reader`. */
export const withOpaque = (
  reader: EventReader,
  opaqueEvents: (json: JsonRecord) => StreamEvent[],
): EventReader => ({
  event: (json) => {
    const events = reader.event(json)
    return events.length === 0 ? opaqueEvents(json) : events
  },
})

const LINE_FEED = 0x0a

export const TOO_LARGE = {
  message: 'An event of the stream is too large.',
  type: 'server_error',
  code: 'event_too_large',
}

/**
 * Decodes server-sent events. Event names are ignored, because all providers repeat them in the
 * data.
 */
export const sseDecoder = (reader: EventReader): EventDecoder => ({
  form: 'events',
  ...decodeSse(reader, errorEvent(TOO_LARGE)),
})

/** For streams of chat completions with changes to their chunks. */
export const chunkDecoder = (reader: JsonReader<Buffer>): ChunkDecoder => ({
  form: 'chunks',
  ...decodeSse(reader, errorChunk(TOO_LARGE)),
})

function decodeSse<Item>(reader: JsonReader<Item>, tooLarge: Item) {
  const splitter = new SseSplitter()
  const eventJson = new EventJson()
  let isOver = false
  const readBlock = (block: Buffer) => {
    const json = eventJson.read(block)
    // Some providers (Baidu) put a failure into a stream as bare JSON.
    if (json === 'comment') return readJson(block, reader)
    return json === 'unreadable' ? [] : reader.event(json)
  }
  const read = (blocks: readonly Buffer[]) => blocks.flatMap(readBlock)
  return {
    push: (chunk: Buffer): Item[] => {
      if (isOver) return []
      const events = read(splitter.push(chunk))
      isOver = splitter.overflowed
      return isOver ? [...events, tooLarge] : events
    },
    end: (): Item[] => (isOver ? [] : [...read([splitter.end()]), ...(reader.end?.() ?? [])]),
  }
}

/** Decodes JSON objects, one per line. */
export function lineDecoder(reader: EventReader): EventDecoder {
  const pending = new ByteCollector()
  let isOver = false
  const take = (rest: Buffer) => {
    if (isOver) return []
    pending.add(rest)
    const line = pending.bytes()
    pending.clear()
    isOver = hasTooManyNodes(line)
    return isOver ? [errorEvent(TOO_LARGE)] : readJson(line, reader)
  }
  return {
    form: 'events',
    push: (chunk) => {
      const events: StreamEvent[] = []
      let start = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
        events.push(...take(chunk.subarray(start, at)))
        start = at + 1
      }
      if (isOver) return events
      pending.add(chunk.subarray(start))
      if (pending.size <= EVENT_BYTES_MAX) return events
      isOver = true
      pending.clear()
      return [...events, errorEvent(TOO_LARGE)]
    },
    end: () => (isOver ? [] : [...take(Buffer.alloc(0)), ...(reader.end?.() ?? [])]),
  }
}

function readJson<Item>(data: Buffer, reader: JsonReader<Item>): Item[] {
  if (data.length === 0) return []
  const json = jsonIn(data)
  return isRecord(json) ? reader.event(json) : []
}
