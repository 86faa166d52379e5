import type { AnswerWatch, AskedWith, NativeStream, TransportFailure } from '@tollgate/relay'
import type { Exchange } from '../../upstream/exchange.ts'

export type StreamReader = {
  /** How many of this many available bytes the reader accepts at once. */
  takes: (bytes: number) => number
  blocks: (blocks: readonly Buffer[]) => void
  /** `failure` is null if the upstream ended its response regularly. */
  ended: (failure: TransportFailure | null) => void
  /** The reader, or a decoder before it, failed on what arrived. Nothing follows. */
  stumbled: (error: unknown) => void
}

/** Bytes buffered without a reader before the upstream is paused. */
const WAITING_BYTES_MAX = 1024 * 1024

type StreamEnd = { readonly failure: TransportFailure | null }

type Opened = Pick<
  OpenStream,
  'watch' | 'native' | 'exchange' | 'status' | 'askedWith' | 'startedAt'
>

/** An upstream's stream from its first token on. Buffers while there is no reader. */
export class OpenStream {
  readonly watch: AnswerWatch
  /** Forwards events in the client's own dialect. Null if they arrive in OpenAI's format. */
  readonly native: NativeStream | null
  readonly exchange: Exchange
  readonly status: number
  readonly askedWith: AskedWith
  /** When the request was sent, by a monotonic clock. */
  readonly startedAt: number
  /** Output bytes given to the client, by any reader. */
  saidBytes = 0
  /** Total time in which the client accepted nothing, without a stall in progress. */
  clientStalledMs = 0
  #waiting: Buffer[]
  #waitingBytes = 0
  /** Bytes that have not been parsed. */
  #unseen: Buffer[] = []
  #isPaused = false
  #end: StreamEnd | null = null
  /** The unfinished rest at the stream's end was passed on. */
  #isFlushed = false
  #stumbledOver: { error: unknown } | null = null
  #reader: StreamReader | null = null
  #onSign: ((end: StreamEnd | null) => void) | null = null
  /** Number of events when the reader detached. */
  #eventCount = 0
  #newsCount = 0

  constructor(
    { watch, native, exchange, status, askedWith, startedAt }: Opened,
    first: readonly Buffer[],
  ) {
    this.startedAt = startedAt
    this.watch = watch
    this.native = native
    this.exchange = exchange
    this.status = status
    this.askedWith = askedWith
    this.#waiting = [...first]
  }

  push(chunk: Buffer) {
    if (this.#stumbledOver !== null) return
    this.#unseen.push(chunk)
    this.#goOn()
  }

  end(failure: TransportFailure | null) {
    if (this.#stumbledOver !== null) return
    this.#end = { failure }
    this.#goOn()
    if (this.#reader === null) this.#onSign?.(this.#end)
  }

  /** Passes nothing on until resumed, not even what has arrived. */
  pause() {
    this.#isPaused = true
    this.exchange.pause()
  }

  resume() {
    this.#unpause()
    this.#goOn()
  }

  read(reader: StreamReader) {
    this.#reader = reader
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (this.#isPaused) this.#unpause()
    this.#goOn(waiting)
  }

  /** Detaches the reader. Any reader may attach later. */
  leave() {
    this.#reader = null
    this.#eventCount = this.watch.eventCount
    this.#newsCount = this.watch.newsCount
  }

  /**
   * Resolves with null at the first event with content after the reader detached, or with the
   * stream's end. Either may precede the call.
   */
  signOfLife(): Promise<StreamEnd | null> {
    return new Promise((resolve) => {
      this.#onSign = resolve
      if (this.#isNews) resolve(null)
      else if (this.#end !== null) resolve(this.#end)
    })
  }

  get #isNews(): boolean {
    return this.watch.newsCount > this.#newsCount
  }

  get #intake() {
    return this.native ?? this.watch
  }

  #unpause() {
    this.#isPaused = false
    this.exchange.resume()
  }

  /** Everything reaches the reader through here: an error of the reader ends this stream only. */
  #goOn(waiting?: readonly Buffer[]) {
    try {
      if (waiting !== undefined) this.#reader?.blocks(waiting)
      this.#handOn()
    } catch (error) {
      this.#unseen = []
      this.#end = { failure: 'malformed' }
      this.#stumbledOver = { error }
      this.exchange.abort()
    }
    if (this.#stumbledOver === null) return
    if (this.#reader) this.#reader.stumbled(this.#stumbledOver.error)
    else this.#onSign?.(this.#end)
  }

  #handOn() {
    while (!this.#isPaused) {
      const chunk = this.#unseen.shift()
      if (chunk === undefined) break
      const taken = this.#reader?.takes(chunk.length) ?? chunk.length
      if (taken < chunk.length) this.#unseen.unshift(chunk.subarray(taken))
      this.#give(this.#intake.push(taken < chunk.length ? chunk.subarray(0, taken) : chunk))
    }
    if (this.#end === null || this.#isPaused || this.#stumbledOver !== null) return
    this.#tellEnd(this.#end.failure)
  }

  #tellEnd(failure: TransportFailure | null) {
    if (!this.#isFlushed) {
      this.#isFlushed = true
      this.#give(this.#intake.end())
    }
    if (!this.#isPaused) this.#reader?.ended(failure)
  }

  #give(blocks: readonly Buffer[]) {
    if (this.#reader) return this.#reader.blocks(blocks)
    const isSilent = this.watch.eventCount === this.#eventCount
    // Comments only keep a connection alive, so they are not buffered.
    if (isSilent && this.native === null) return
    for (const block of blocks) {
      this.#waiting.push(block)
      this.#waitingBytes += block.length
    }
    if (this.#waitingBytes > WAITING_BYTES_MAX) this.pause()
    if (this.#isNews) this.#onSign?.(null)
  }
}
