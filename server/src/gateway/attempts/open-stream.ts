import type { AnswerWatch, AskedWith, NativeStream, TransportFailure } from '@tollgate/relay'
import type { Exchange } from '../../upstream/exchange.ts'

export type StreamReader = {
  /** Of so many bytes that have come, how many it takes at once. */
  takes: (bytes: number) => number
  blocks: (blocks: readonly Buffer[]) => void
  /** `failure` is null when the upstream ended its answer in the regular way. */
  ended: (failure: TransportFailure | null) => void
  /** It, or what reads before it, could not take what came; nothing follows. */
  stumbled: (error: unknown) => void
}

/** Of what waits for a reader, from which on the upstream is paused until there is one. */
const WAITING_BYTES_MAX = 1024 * 1024

type StreamEnd = { readonly failure: TransportFailure | null }

type Opened = Pick<
  OpenStream,
  'watch' | 'native' | 'exchange' | 'status' | 'askedWith' | 'startedAt'
>

/** An upstream's stream that has begun to speak; keeps what comes while nobody reads. */
export class OpenStream {
  readonly watch: AnswerWatch
  /** Hands on what comes in the client's own dialect; null where it comes in OpenAI's form. */
  readonly native: NativeStream | null
  readonly exchange: Exchange
  readonly status: number
  readonly askedWith: AskedWith
  /** When its request was sent, by a clock that never jumps. */
  readonly startedAt: number
  /** What the client has been given of the output, by whichever of its readers. */
  saidBytes = 0
  /** For how long the client took nothing, in all the times that are over. */
  clientStalledMs = 0
  #waiting: Buffer[]
  #waitingBytes = 0
  /** What the watch has not seen yet. */
  #unseen: Buffer[] = []
  #isPaused = false
  #end: StreamEnd | null = null
  /** What was unfinished at its end has been handed on. */
  #isFlushed = false
  #stumbledOver: { error: unknown } | null = null
  #reader: StreamReader | null = null
  #onSign: ((end: StreamEnd | null) => void) | null = null
  /** How many events there had been when its reader left. */
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

  /** Nothing is handed on until it is resumed, not even what has come. */
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

  /** The reader reads no more; another, or the same, may go on. */
  leave() {
    this.#reader = null
    this.#eventCount = this.watch.eventCount
    this.#newsCount = this.watch.newsCount
  }

  /** Resolves with null at the first event that says something after its reader left, or with its end; also what was before. */
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

  /** The one way to whoever reads: what they stumble over ends this stream, and no other. */
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
    // Comments alone keep a connection alive, and nobody waits for them.
    if (isSilent && this.native === null) return
    for (const block of blocks) {
      this.#waiting.push(block)
      this.#waitingBytes += block.length
    }
    if (this.#waitingBytes > WAITING_BYTES_MAX) this.pause()
    if (this.#isNews) this.#onSign?.(null)
  }
}
