import type { AnswerWatch, AskedWith, NativeStream, TransportFailure } from '@tollgate/relay'
import type { Exchange } from '../upstream/exchange.ts'

export type StreamReader = {
  /** Of so many bytes that have come, how many it takes at once. */
  takes: (bytes: number) => number
  blocks: (blocks: readonly Buffer[]) => void
  /** `failure` is null when the upstream ended its answer in the regular way. */
  ended: (failure: TransportFailure | null) => void
}

type Opened = Pick<OpenStream, 'watch' | 'native' | 'exchange' | 'status' | 'askedWith'>

/** An upstream's stream that has begun to speak; keeps what comes while nobody reads. */
export class OpenStream {
  readonly watch: AnswerWatch
  /** Hands on what comes in the client's own dialect; null where it comes in OpenAI's form. */
  readonly native: NativeStream | null
  readonly exchange: Exchange
  readonly status: number
  readonly askedWith: AskedWith
  /** What the client has been given of the output, by whichever of its readers. */
  saidBytes = 0
  /** For how long the client took nothing, in all the times that are over. */
  clientStalledMs = 0
  #waiting: Buffer[]
  /** What the watch has not seen yet. */
  #unseen: Buffer[] = []
  #isPaused = false
  #end: { failure: TransportFailure | null } | null = null
  #reader: StreamReader | null = null
  #onWord: (() => void) | null = null
  /** How many events there had been when its reader left. */
  #eventCount = 0

  constructor({ watch, native, exchange, status, askedWith }: Opened, first: readonly Buffer[]) {
    this.watch = watch
    this.native = native
    this.exchange = exchange
    this.status = status
    this.askedWith = askedWith
    this.#waiting = [...first]
  }

  push(chunk: Buffer) {
    this.#unseen.push(chunk)
    this.#goOn()
  }

  end(failure: TransportFailure | null) {
    this.#end = { failure }
    this.#goOn()
  }

  /** Nothing is handed on until it is resumed, not even what has come. */
  pause() {
    this.#isPaused = true
    this.exchange.pause()
  }

  resume() {
    this.#isPaused = false
    this.exchange.resume()
    this.#goOn()
  }

  read(reader: StreamReader) {
    const waiting = this.#waiting
    this.#waiting = []
    this.#reader = reader
    reader.blocks(waiting)
    this.#goOn()
  }

  /** The reader reads no more; another, or the same, may go on. */
  leave() {
    this.#reader = null
    this.#eventCount = this.watch.eventCount
  }

  /** Resolves with the first event after its reader left. */
  speaksAgain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onWord = resolve
    })
  }

  get #intake() {
    return this.native ?? this.watch
  }

  #goOn() {
    while (!this.#isPaused) {
      const chunk = this.#unseen.shift()
      if (chunk === undefined) break
      const taken = this.#reader?.takes(chunk.length) ?? chunk.length
      if (taken < chunk.length) this.#unseen.unshift(chunk.subarray(taken))
      this.#give(this.#intake.push(chunk.subarray(0, taken)))
    }
    if (this.#end !== null && !this.#isPaused) this.#tellEnd(this.#end.failure)
  }

  #tellEnd(failure: TransportFailure | null) {
    this.#give(this.#intake.end())
    if (!this.#isPaused) this.#reader?.ended(failure)
  }

  #give(blocks: readonly Buffer[]) {
    if (this.#reader) return this.#reader.blocks(blocks)
    this.#waiting.push(...blocks)
    if (this.watch.eventCount > this.#eventCount) this.#onWord?.()
  }
}
