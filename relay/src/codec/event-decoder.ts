import { ByteCollector } from '../byte-collector.ts'
import { hasTooManyNodes } from '../json-limits.ts'
import { jsonIn } from '../json-parse.ts'
import { isRecord, type JsonRecord } from '../json-value.ts'
import { blockData, EVENT_BYTES_MAX, SseSplitter } from '../sse.ts'
import { errorEventOf } from './chat-events.ts'
import type { StreamDecoder } from './provider-codec.ts'

export type EventReader = {
  /** Called once per event, in order. `[DONE]` and data that is not a JSON object are skipped. */
  readonly event: (json: JsonRecord) => Buffer[]
  /**
   * Called at the end of the stream. Returns the remaining events, if the stream ended in order.
   */
  readonly end?: () => Buffer[]
}

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
export function sseDecoder(reader: EventReader): StreamDecoder {
  const splitter = new SseSplitter()
  let isOver = false
  // Some providers (Baidu) put a failure into a stream as bare JSON.
  const read = (blocks: readonly Buffer[]) =>
    blocks.flatMap((block) => readJson(blockData(block) ?? block, reader))
  return {
    push: (chunk) => {
      if (isOver) return []
      const events = read(splitter.push(chunk))
      isOver = splitter.overflowed
      return isOver ? [...events, errorEventOf(TOO_LARGE)] : events
    },
    end: () => (isOver ? [] : [...read([splitter.end()]), ...(reader.end?.() ?? [])]),
  }
}

/** Decodes JSON objects, one per line. */
export function lineDecoder(reader: EventReader): StreamDecoder {
  const pending = new ByteCollector()
  let isOver = false
  const take = (rest: Buffer) => {
    if (isOver) return []
    pending.add(rest)
    const line = pending.bytes()
    pending.clear()
    isOver = hasTooManyNodes(line)
    return isOver ? [errorEventOf(TOO_LARGE)] : readJson(line, reader)
  }
  return {
    push: (chunk) => {
      const events: Buffer[] = []
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
      return [...events, errorEventOf(TOO_LARGE)]
    },
    end: () => (isOver ? [] : [...take(Buffer.alloc(0)), ...(reader.end?.() ?? [])]),
  }
}

function readJson(data: Buffer, reader: EventReader): Buffer[] {
  if (data.length === 0) return []
  const json = jsonIn(data)
  return isRecord(json) ? reader.event(json) : []
}
