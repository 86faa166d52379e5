import { errorEventOf } from '../codec/chat-events.ts'
import { type EventReader, TOO_LARGE } from '../codec/event-decoder.ts'
import { jsonIn } from '../json-parse.ts'
import { isRecord } from '../json-value.ts'
import { blockData, isEventStreamBlock, SseSplitter } from '../sse.ts'
import { reportedError } from './openai/answer.ts'
import type { StreamObserver } from './openai/stream.ts'

/*
 * The stream of a provider that speaks its client's dialect. Its events go out unchanged. A reader
 * converts each event to OpenAI's form for an observer, which decides whether the event goes out.
 */

const LINE_FEED = 0x0a
const BLOCK_END = Buffer.from('\n\n')
/** Hardly more than the last event is held back. */
const ENDING_BYTES_MAX = 4 * 1024 * 1024

const UNREADABLE = {
  message: 'An event of the stream cannot be read.',
  type: 'server_error',
  code: 'event_unreadable',
}

type Place = 'out' | 'ending' | 'nowhere'

export class NativeStream {
  readonly #watch: StreamObserver
  readonly #reader: EventReader
  readonly #splitter = new SseSplitter()
  #ending: Buffer[] = []
  #endingBytes = 0
  #last: Place = 'nowhere'

  constructor(watch: StreamObserver, reader: EventReader) {
    this.#watch = watch
    this.#reader = reader
  }

  /** The event that ended the answer and those after it. They go out after the charge. */
  get ending(): readonly Buffer[] {
    return this.#ending
  }

  /** Returns the bytes for the client. An unfinished event is held back until it is complete. */
  push(chunk: Buffer): Buffer[] {
    const out: Buffer[] = []
    for (const block of this.#splitter.push(chunk)) this.#put(block, out)
    if (this.#splitter.overflowed) this.#tell(() => [errorEventOf(TOO_LARGE)])
    return out
  }

  end(): Buffer[] {
    const out: Buffer[] = []
    const rest = this.#splitter.end()
    if (blockData(rest) !== null) this.#put(Buffer.concat([rest, BLOCK_END]), out)
    this.#tell(() => this.#reader.end?.() ?? [])
    return out
  }

  #put(block: Buffer, out: Buffer[]) {
    // The LF of a CRLF that was cut goes where the first half went.
    const isHalf = block.length === 1 && block[0] === LINE_FEED
    if (!isHalf) this.#last = this.#placeOf(block)
    if (this.#last === 'out') out.push(...this.#takeBack(), block)
    if (this.#last !== 'ending' || this.#endingBytes > ENDING_BYTES_MAX) return
    this.#endingBytes += block.length
    this.#ending.push(block)
  }

  /** Returns events that seemed to be the end, but were followed by more. */
  #takeBack(): Buffer[] {
    const events = this.#ending
    if (events.length === 0) return events
    this.#ending = []
    this.#endingBytes = 0
    return events
  }

  #placeOf(block: Buffer): Place {
    const watch = this.#watch
    if (this.#isOver) return 'nowhere'
    const data = blockData(block)
    if (data === null) {
      const isKnown = isEventStreamBlock(block)
      return isKnown && !watch.finished ? 'out' : 'nowhere'
    }
    const json = jsonIn(data)
    if (!isRecord(json)) return 'nowhere'
    this.#tell(() => this.#reader.event(json))
    if (watch.error !== null) return 'nowhere'
    if (!watch.finished && !watch.done) return 'out'
    // An error after the end counts neither for the observer nor for the client.
    return reportedError(json) === null ? 'ending' : 'nowhere'
  }

  get #isOver(): boolean {
    return this.#watch.done || this.#watch.error !== null
  }

  /** An event that makes the codec throw counts as unreadable. */
  #tell(read: () => readonly Buffer[]) {
    if (this.#isOver) return
    try {
      for (const event of read()) this.#watch.push(event)
    } catch {
      this.#watch.push(errorEventOf(UNREADABLE))
    }
  }
}
