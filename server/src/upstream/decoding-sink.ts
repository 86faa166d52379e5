import type { IncomingHttpHeaders } from 'node:http'
import {
  ByteCollector,
  type Decoded,
  prepareAnswer,
  asSteps,
  type Steps,
  type StreamDecoder,
  type StreamEvent,
  type TransportFailure,
} from '@tollgate/relay'
import { scheduler } from '../scheduler/fair-scheduler.ts'
import { type AnswerDecoder, type AnswerSink, type Exchange, endSink } from './exchange.ts'
import type { UpstreamLimits } from './limits.ts'
import { isSuccess } from './read-response.ts'

type Decoder<Item> = {
  readonly push: (chunk: Buffer) => readonly Item[]
  readonly end: () => readonly Item[]
}

const STREAM_TYPE = 'text/event-stream'
const JSON_TYPE = 'application/json'

/**
 * A sink that decodes a provider's answer, a stream or a whole one. Failed answers pass unchanged.
 */
export class DecodingSink implements AnswerSink {
  readonly #answerDecoder: AnswerDecoder
  readonly #limits: UpstreamLimits
  readonly #sink: AnswerSink
  readonly #collector = new ByteCollector()
  #exchange: Exchange | null = null
  #decoder: StreamDecoder | null = null
  #isBuffered = false
  #isOver = false

  constructor(answerDecoder: AnswerDecoder, limits: UpstreamLimits, sink: AnswerSink) {
    this.#answerDecoder = answerDecoder
    this.#limits = limits
    this.#sink = sink
  }

  /** Sets the exchange that `abort` ends, and returns it. */
  attach(exchange: Exchange): Exchange {
    this.#exchange = exchange
    return exchange
  }

  head(status: number, headers: IncomingHttpHeaders) {
    if (!isSuccess(status)) return this.#sink.head(status, headers)
    const isJson = /\/json\b/i.test(headers['content-type'] ?? '')
    const isNoStream = isJson && !this.#answerDecoder.decodesJson
    this.#decoder = isNoStream ? null : (this.#answerDecoder.createStreamDecoder?.() ?? null)
    this.#isBuffered = this.#decoder === null
    const type = this.#isBuffered ? JSON_TYPE : STREAM_TYPE
    this.#sink.head(status, { ...headers, 'content-type': type })
  }

  offer(chunk: Buffer): boolean {
    const decoder = this.#decoder
    if (decoder?.form !== 'events' || this.#isOver) return false
    const event = decoder.nextDelta?.(chunk) ?? null
    if (event !== null) this.#sink.events?.([event])
    return event !== null
  }

  data(chunk: Buffer) {
    const decoder = this.#decoder
    if (decoder?.form === 'events') return this.#emitEvents(this.#read(decoder, chunk))
    if (decoder !== null) return this.#emit(this.#read(decoder, chunk))
    if (!this.#isBuffered) return this.#sink.data(chunk)
    this.#collector.add(chunk)
    if (this.#collector.size > this.#limits.answerBytesMax) this.#fail('too_large')
  }

  end() {
    const decoder = this.#decoder
    if (decoder?.form === 'events') this.#emitEvents(this.#read(decoder, null))
    else if (decoder !== null) this.#emit(this.#read(decoder, null))
    else if (this.#isBuffered) return this.#endBuffered(this.#collector.bytes())
    if (!this.#isOver) this.#sink.end()
  }

  #endBuffered(body: Buffer) {
    const decoding = scheduler.runSized(this, this.#decode(body), body.length)
    const emit = (decoded: Decoded | TransportFailure) => this.#emitDecoded(decoded, body)
    if (decoding instanceof Promise) void decoding.then(emit)
    else emit(decoding)
  }

  *#decode(body: Buffer): Steps<Decoded | TransportFailure> {
    const { nodesMax, decode } = this.#answerDecoder
    if (!(yield* prepareAnswer(body, { nodesMax }))) return 'too_large'
    try {
      return yield* asSteps(decode(body))
    } catch {
      return 'malformed'
    }
  }

  #emitDecoded(decoded: Decoded | TransportFailure, body: Buffer) {
    if (this.#isOver) return
    if (typeof decoded === 'string') return this.#fail(decoded)
    if (Buffer.isBuffer(decoded)) this.#emit([decoded])
    else this.#sink.answer?.(decoded, body)
    if (!this.#isOver) endSink(this.#sink)
  }

  /**
   * Decodes a chunk, or the end. An error thrown by a codec makes the answer malformed instead of
   * ending the process.
   */
  #read<Item>(decoder: Decoder<Item>, chunk: Buffer | null): readonly Item[] {
    if (this.#isOver) return []
    try {
      return chunk === null ? decoder.end() : decoder.push(chunk)
    } catch {
      this.#fail('malformed')
      return []
    }
  }

  #fail(failure: TransportFailure) {
    this.#isOver = true
    this.#exchange?.abort()
    this.#sink.fail(failure)
  }

  fail(failure: TransportFailure) {
    if (!this.#isOver) this.#sink.fail(failure)
  }

  /** Concatenates the blocks so that they become one write. */
  #emit(blocks: readonly Buffer[]) {
    const [first] = blocks
    if (first !== undefined) this.#sink.data(blocks.length === 1 ? first : Buffer.concat(blocks))
  }

  #emitEvents(events: readonly StreamEvent[]) {
    if (events.length > 0) this.#sink.events?.(events)
  }
}
