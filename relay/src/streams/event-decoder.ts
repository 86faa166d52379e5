import { ByteCollector } from '../bytes/byte-collector.ts'
import { hasTooManyNodes } from '../bytes/json-limits.ts'
import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord } from '../bytes/json-value.ts'
import { EVENT_BYTES_MAX, SseSplitter } from '../bytes/sse.ts'
import { errorChunk, type ChunkDecoder } from '../form/chat-chunk.ts'
import { errorEvent, type EventDecoder, type StreamEvent } from '../form/events.ts'
import { EventJson } from './event-json.ts'
import { BlockReader, type EventReader, type JsonReader } from './event-reader.ts'

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
export function sseDecoder(reader: EventReader): EventDecoder {
  const blocks = new BlockReader(reader)
  return { form: 'events', ...decodeSse(blocks, errorEvent(TOO_LARGE)) }
}

/** For streams of chat completions with changes to their chunks. */
export function chunkDecoder(reader: JsonReader<Buffer>): ChunkDecoder {
  const json = new EventJson()
  const blocks = { ...reader, json: (block: Buffer) => json.read(block), nextDelta: () => null }
  return { form: 'chunks', ...decodeSse(blocks, errorChunk(TOO_LARGE)) }
}

type Blocks<Item> = JsonReader<Item> & {
  readonly json: BlockReader['json']
  readonly nextDelta: (block: Buffer) => Item | null
  readonly skips?: (block: Buffer) => boolean
}

function decodeSse<Item>(blocks: Blocks<Item>, tooLarge: Item) {
  const splitter = new SseSplitter()
  let isOver = false
  const read = (block: Buffer): Item[] => {
    const event = blocks.nextDelta(block)
    if (event !== null) return [event]
    if (blocks.skips?.(block) === true) return []
    const json = blocks.json(block)
    // Some providers (Baidu) put a failure into a stream as bare JSON.
    if (json === 'comment') return readJson(block, blocks)
    return json === 'unreadable' ? [] : blocks.event(json)
  }
  // Nearly every chunk is a single block.
  const nextDelta = (chunk: Buffer): Item | null =>
    !isOver && splitter.isBetweenBlocks ? blocks.nextDelta(chunk) : null
  return {
    nextDelta,
    push: (chunk: Buffer): Item[] => {
      const event = nextDelta(chunk)
      if (event !== null) return [event]
      if (isOver) return []
      const events = splitter.push(chunk).flatMap(read)
      isOver = splitter.overflowed
      return isOver ? [...events, tooLarge] : events
    },
    end: (): Item[] => (isOver ? [] : [...read(splitter.end()), ...(blocks.end?.() ?? [])]),
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
