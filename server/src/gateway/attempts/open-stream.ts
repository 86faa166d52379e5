import type {
  AnswerObserver,
  UpstreamSecrets,
  NativeStream,
  TransportFailure,
} from '@tollgate/relay'
import type { Exchange } from '../../upstream/exchange.ts'

export type StreamConsumer = {
  /** How many of this many available bytes the consumer accepts at once. */
  bytesAccepted: (bytes: number) => number
  onBlocks: (blocks: readonly Buffer[]) => void
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
>

/** An upstream's stream from its first token on. Buffers while there is no consumer. */
export class OpenStream {
  readonly observer: AnswerObserver
  /** Forwards events in the client's own dialect. Null if they arrive in OpenAI's format. */
  readonly native: NativeStream | null
  readonly exchange: Exchange
  readonly status: number
  readonly channelSecrets: UpstreamSecrets
  /** When the request was sent, by a monotonic clock. */
  readonly startedAt: number
  /** Output bytes given to the client, by any consumer. */
  deliveredBytes = 0
  /** Total time in which the client accepted nothing, without a stall in progress. */
  clientStalledMs = 0
  #buffered: Buffer[]
  #bufferedBytes = 0
  /** Bytes that have not been parsed. */
  #unparsed: Buffer[] = []
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
    { observer, native, exchange, status, channelSecrets, startedAt }: Opened,
    first: readonly Buffer[],
  ) {
    this.startedAt = startedAt
    this.observer = observer
    this.native = native
    this.exchange = exchange
    this.status = status
    this.channelSecrets = channelSecrets
    this.#buffered = [...first]
  }

  push(chunk: Buffer) {
    if (this.#consumerError !== null) return
    this.#unparsed.push(chunk)
    this.#flush()
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
    const buffered = this.#buffered
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

  get #decoder() {
    return this.native ?? this.observer
  }

  #unpause() {
    this.#isPaused = false
    this.exchange.resume()
  }

  /** Everything reaches the consumer through here: its errors end this stream only. */
  #flush(buffered?: readonly Buffer[]) {
    try {
      if (buffered !== undefined) this.#consumer?.onBlocks(buffered)
      this.#parseAndEmit()
    } catch (error) {
      this.#unparsed = []
      this.#end = { failure: 'malformed' }
      this.#consumerError = { error }
      this.exchange.abort()
    }
    if (this.#consumerError === null) return
    if (this.#consumer) this.#consumer.onConsumerError(this.#consumerError.error)
    else this.#onDelta?.(this.#end)
  }

  #parseAndEmit() {
    while (!this.#isPaused) {
      const chunk = this.#unparsed.shift()
      if (chunk === undefined) break
      const accepted = this.#consumer?.bytesAccepted(chunk.length) ?? chunk.length
      if (accepted < chunk.length) this.#unparsed.unshift(chunk.subarray(accepted))
      this.#emit(this.#decoder.push(accepted < chunk.length ? chunk.subarray(0, accepted) : chunk))
    }
    if (this.#end === null || this.#isPaused || this.#consumerError !== null) return
    this.#emitEnd(this.#end.failure)
  }

  #emitEnd(failure: TransportFailure | null) {
    if (!this.#isFlushed) {
      this.#isFlushed = true
      this.#emit(this.#decoder.end())
    }
    if (!this.#isPaused) this.#consumer?.onEnd(failure)
  }

  #emit(blocks: readonly Buffer[]) {
    if (this.#consumer) return this.#consumer.onBlocks(blocks)
    const isSilent = this.observer.eventCount === this.#eventCount
    // Comments only keep a connection alive, so they are not buffered.
    if (isSilent && this.native === null) return
    for (const block of blocks) {
      this.#buffered.push(block)
      this.#bufferedBytes += block.length
    }
    if (this.#bufferedBytes > BUFFERED_BYTES_MAX) this.pause()
    if (this.#hasNewDelta) this.#onDelta?.(null)
  }
}
