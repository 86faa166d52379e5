import { ByteCollector } from '../byte-collector.ts'
import { hasTooManyNodes } from '../json-limits.ts'
import { jsonIn } from '../json-parse.ts'
import { isRecord, type JsonRecord } from '../json-value.ts'
import { blockData, EVENT_BYTES_MAX, SseSplitter } from '../sse.ts'
import { errorEventOf } from './chat-events.ts'
import type { StreamDecoder } from './provider-codec.ts'

/** What a codec says to each event of its provider; called once for each, in order. */
export type EventReader = {
  /** `[DONE]` and what is no JSON object are left out. */
  readonly event: (json: JsonRecord) => Buffer[]
  /** The stream has ended: what is still to be said, if it ended in order. */
  readonly end?: () => Buffer[]
}

const LINE_FEED = 0x0a

/** The error of a stream that is given up for it. */
export const TOO_LARGE = {
  message: 'An event of the stream is larger than is accepted.',
  type: 'server_error',
  code: 'event_too_large',
}

/** Of server-sent events; the name of an event is not read, as all providers repeat it in the data. */
export function sseDecoder(reader: EventReader): StreamDecoder {
  const splitter = new SseSplitter()
  let isOver = false
  // Some (Baidu) put a failure into a stream as bare JSON.
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

/** Of JSON objects, one in each line. */
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
