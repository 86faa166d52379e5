import type {
  AnswerObserver,
  UpstreamSecrets,
  NativeStream,
  TransportFailure,
} from '@tollgate/relay'
import type { Exchange } from '../../upstream/exchange.ts'
import {
  joinOutput,
  sizeOfChunk,
  sizeOfOutput,
  splitChunk,
  type StreamChunk,
  type StreamOutput,
  type StreamReader,
} from './stream-reader.ts'

export type StreamConsumer = {
  /** How many of this many available bytes the consumer accepts at once. */
  bytesAccepted: (bytes: number) => number
  /** Bytes without a list are valid only during the call. */
  onOutput: (output: StreamOutput) => void
  /** `failure` is null if the upstream ended its response regularly. */
  onEnd: (failure: TransportFailure | null) => void
  /** The consumer, or a decoder before it, failed on what arrived. Nothing follows. */
  onConsumerError: (error: unknown) => void
}

/** Bytes buffered without a consumer before the upstream is paused. */
const BUFFERED_BYTES_MAX = 1024 * 1024

type UpstreamEnd = { readonly failure: TransportFailure | null }

type Opened = Pick<
  OpenStream,
  'observer' | 'native' | 'exchange' | 'status' | 'channelSecrets' | 'startedAt'
> & { readonly reader: StreamReader }

/** An upstream's stream from its first token on. Buffers while there is no consumer. */
export class OpenStream {
  readonly observer: AnswerObserver
  /** A stream in the client's own dialect, whose last events wait for the charge; or null. */
  readonly native: NativeStream | null
  readonly exchange: Exchange
  readonly status: number
  readonly channelSecrets: UpstreamSecrets
  /** When the request was sent, by a monotonic clock. */
  readonly startedAt: number
  /** Output bytes that the hold has paid for: sent to the client, or read after it left. */
  paidBytes = 0
  /** Total time in which the client accepted nothing, without a stall in progress. */
  clientStalledMs = 0
  readonly #reader: StreamReader
  #buffered: StreamOutput[]
  #bufferedBytes = 0
  /** The chunk that is read next. Most chunks never enter the list, which would allocate. */
  #next: StreamChunk | undefined
  /** Further chunks that have not been read. */
  #unread: StreamChunk[] = []
  #isPaused = false
  #end: UpstreamEnd | null = null
  /** The unfinished rest at the stream's end was passed on. */
  #isFlushed = false
  #consumerError: { error: unknown } | null = null
  #consumer: StreamConsumer | null = null
  #onDelta: ((end: UpstreamEnd | null) => void) | null = null
  /** Number of events when the consumer detached. */
  #eventCount = 0
  #deltaCount = 0

  constructor(
    { observer, reader, native, exchange, status, channelSecrets, startedAt }: Opened,
    first: readonly StreamOutput[],
  ) {
    this.startedAt = startedAt
    this.observer = observer
    this.#reader = reader
    this.native = native
    this.exchange = exchange
    this.status = status
    this.channelSecrets = channelSecrets
    this.#buffered = [...first]
  }

  push(chunk: StreamChunk) {
    if (this.#consumerError !== null) return
    if (this.#isPaused || this.#unread.length > 0) this.#unread.push(chunk)
    else this.#next = chunk
    this.#flush()
  }

  /** Takes bytes that are overwritten after the call, if the consumer gets all of them at once. */
  offer(chunk: Buffer): boolean {
    const consumer = this.#consumer
    if (consumer === null || this.#isPaused || this.#consumerError !== null) return false
    if (this.#unread.length > 0 || consumer.bytesAccepted(chunk.length) < chunk.length) return false
    try {
      const output = this.#reader.readDelta(chunk)
      if (output === null) return false
      consumer.onOutput(output)
    } catch (error) {
      this.#stopWith(error)
    }
    return true
  }

  end(failure: TransportFailure | null) {
    if (this.#consumerError !== null) return
    this.#end = { failure }
    this.#flush()
    if (this.#consumer === null) this.#onDelta?.(this.#end)
  }

  /** Passes nothing on until resumed, not even what has arrived. */
  pause() {
    this.#isPaused = true
    this.exchange.pause()
  }

  resume() {
    this.#unpause()
    this.#flush()
  }

  read(consumer: StreamConsumer) {
    this.#consumer = consumer
    const buffered = joinOutput(this.#buffered)
    this.#buffered = []
    this.#bufferedBytes = 0
    if (this.#isPaused) this.#unpause()
    this.#flush(buffered)
  }

  /** Detaches the consumer. Any consumer may attach later. */
  detach() {
    this.#consumer = null
    this.#eventCount = this.observer.eventCount
    this.#deltaCount = this.observer.deltaCount
  }

  /**
   * Resolves with null at the first event with content after the consumer detached, or with the
   * stream's end. Either may precede the call.
   */
  awaitDelta(): Promise<UpstreamEnd | null> {
    return new Promise((resolve) => {
      this.#onDelta = resolve
      if (this.#hasNewDelta) resolve(null)
      else if (this.#end !== null) resolve(this.#end)
    })
  }

  get #hasNewDelta(): boolean {
    return this.observer.deltaCount > this.#deltaCount
  }

  #unpause() {
    this.#isPaused = false
    this.exchange.resume()
  }

  /** All output but offered bytes goes through here. A consumer's error ends this stream only. */
  #flush(buffered?: StreamOutput) {
    try {
      if (buffered !== undefined) this.#consumer?.onOutput(buffered)
      this.#readAndEmit()
    } catch (error) {
      return this.#stopWith(error)
    }
    this.#reportError()
  }

  #stopWith(error: unknown) {
    this.#unread = []
    this.#end = { failure: 'malformed' }
    this.#consumerError = { error }
    this.exchange.abort()
    this.#reportError()
  }

  #reportError() {
    if (this.#consumerError === null) return
    if (this.#consumer) this.#consumer.onConsumerError(this.#consumerError.error)
    else this.#onDelta?.(this.#end)
  }

  #readAndEmit() {
    while (!this.#isPaused) {
      const chunk = this.#next ?? this.#unread.shift()
      this.#next = undefined
      if (chunk === undefined) break
      const size = sizeOfChunk(chunk)
      const accepted = this.#consumer?.bytesAccepted(size) ?? size
      if (accepted >= size) this.#emit(this.#reader.push(chunk))
      else {
        const [next, rest] = splitChunk(chunk, accepted)
        if (rest !== null) this.#unread.unshift(rest)
        this.#emit(this.#reader.push(next))
      }
    }
    if (this.#end === null || this.#isPaused || this.#consumerError !== null) return
    this.#emitEnd(this.#end.failure)
  }

  #emitEnd(failure: TransportFailure | null) {
    if (!this.#isFlushed) {
      this.#isFlushed = true
      this.#emit(this.#reader.end())
    }
    if (!this.#isPaused) this.#consumer?.onEnd(failure)
  }

  #emit(output: StreamOutput) {
    if (this.#consumer) return this.#consumer.onOutput(output)
    const isSilent = this.observer.eventCount === this.#eventCount
    // Comments only keep a connection alive, so they are not buffered.
    if (isSilent && this.native === null) return
    this.#buffered.push(output)
    this.#bufferedBytes += sizeOfOutput(output)
    if (this.#bufferedBytes > BUFFERED_BYTES_MAX) this.pause()
    if (this.#hasNewDelta) this.#onDelta?.(null)
  }
}
