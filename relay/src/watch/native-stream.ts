import { blockData, isEventStreamBlock, isLineFeed, SseSplitter } from '../bytes/sse.ts'
import { errorEvent, type StreamEvent } from '../form/events.ts'
import { TOO_LARGE } from '../streams/event-decoder.ts'
import { BlockReader, type EventReader } from '../streams/event-reader.ts'
import { reportedError } from '../wires/openai-chat/answer-summary.ts'
import type { StreamObserver } from './stream-observer.ts'

/*
 * The stream of a provider that speaks its client's dialect. Its bytes go out unchanged. A reader
 * shows an observer their events, and the observer decides whether they go out.
 */

const BLOCK_END = Buffer.from('\n\n')
/** Hardly more than the last event is held back. */
const ENDING_BYTES_MAX = 4 * 1024 * 1024

const UNREADABLE = {
  message: 'An event of the stream cannot be read.',
  type: 'server_error',
  code: 'event_unreadable',
}

type Destination = 'out' | 'ending' | 'nowhere'

export class NativeStream {
  readonly #observer: StreamObserver
  readonly #blocks: BlockReader
  readonly #splitter = new SseSplitter()
  #ending: Buffer[] = []
  #endingBytes = 0
  #last: Destination = 'nowhere'

  constructor(observer: StreamObserver, reader: EventReader) {
    this.#observer = observer
    this.#blocks = new BlockReader(reader)
  }

  /** The event that ended the answer and those after it. They go out after the charge. */
  get ending(): readonly Buffer[] {
    return this.#ending
  }

  /** Returns the bytes for the client. An unfinished event is held back until it is complete. */
  push(chunk: Buffer): Buffer[] {
    const forwarded: Buffer[] = []
    for (const block of this.#splitter.push(chunk)) this.#route(block, forwarded)
    if (this.#splitter.overflowed) this.#observe(() => [errorEvent(TOO_LARGE)])
    return forwarded
  }

  /** Whether the client gets a chunk as it is, because it only has another delta. */
  isDelta(chunk: Buffer): boolean {
    const isNext = this.#last === 'out' && this.#splitter.isBetweenBlocks
    return isNext && this.#ending.length === 0 && this.#observer.isOpen && this.#isNextDelta(chunk)
  }

  end(): Buffer[] {
    const forwarded: Buffer[] = []
    const rest = this.#splitter.end()
    if (blockData(rest) !== null) this.#route(Buffer.concat([rest, BLOCK_END]), forwarded)
    this.#observe(() => this.#blocks.end())
    return forwarded
  }

  #route(block: Buffer, forwarded: Buffer[]) {
    if (!isLineFeed(block)) this.#last = this.#placeOf(block)
    if (this.#last === 'out') {
      if (this.#ending.length > 0) forwarded.push(...this.#releaseEnding())
      forwarded.push(block)
    }
    if (this.#last !== 'ending' || this.#endingBytes > ENDING_BYTES_MAX) return
    this.#endingBytes += block.length
    this.#ending.push(block)
  }

  /** Returns events that seemed to be the end, but were followed by more. */
  #releaseEnding(): Buffer[] {
    const events = this.#ending
    this.#ending = []
    this.#endingBytes = 0
    return events
  }

  #placeOf(block: Buffer): Destination {
    const observer = this.#observer
    if (!observer.isOpen) return 'nowhere'
    if (this.#isNextDelta(block)) return 'out'
    const json = this.#blocks.json(block)
    if (json === 'comment') {
      const isKnown = isEventStreamBlock(block)
      return isKnown && !observer.finished ? 'out' : 'nowhere'
    }
    if (json === 'unreadable') return 'nowhere'
    this.#observe(() => this.#blocks.event(json))
    if (observer.error !== null) return 'nowhere'
    if (!observer.finished && !observer.done) return 'out'
    // An error after the end counts neither for the observer nor for the client.
    return reportedError(json) === null ? 'ending' : 'nowhere'
  }

  /** The event before had output too, so the answer has not ended. */
  #isNextDelta(block: Buffer): boolean {
    if (!this.#blocks.skipsDelta(block)) return false
    this.#observer.observeText(block, this.#blocks.range)
    return true
  }

  /** An event that makes the codec throw counts as unreadable. */
  #observe(read: () => readonly StreamEvent[]) {
    if (!this.#observer.isOpen) return
    try {
      for (const event of read()) this.#observer.observe(event)
    } catch {
      this.#observer.observe(errorEvent(UNREADABLE))
    }
  }
}
