import type { Steps } from '@tollgate/relay'
import { type FairScheduler, scheduler } from '../scheduler/fair-scheduler.ts'

export type PacedReader = {
  readonly onChunk: (chunk: Buffer) => void
  readonly pause: () => void
  readonly resume: () => void
  /** Receives errors thrown by `onChunk`. */
  readonly onError: (error: unknown) => void
}

/**
 * Delivers chunks that may complete a large event, which is slow to parse. Each delivery is
 * scheduled fairly with all other work.
 */
export class ChunkPacer {
  readonly #reader: PacedReader
  readonly #scheduler: FairScheduler
  #chunks: Buffer[] = []
  #isPaused = false
  #afterLast: (() => void) | null = null

  constructor(reader: PacedReader, workScheduler: FairScheduler = scheduler) {
    this.#reader = reader
    this.#scheduler = workScheduler
  }

  get isWaiting(): boolean {
    return this.#chunks.length > 0
  }

  /** The pacer has paused the source and will resume it. */
  get isPausing(): boolean {
    return this.#isPaused
  }

  push(chunk: Buffer) {
    this.#chunks.push(chunk)
    if (this.#chunks.length === 1) this.#next()
  }

  /** Runs the callback once, after the last chunk. */
  afterLast(callback: () => void) {
    if (this.isWaiting) this.#afterLast ??= callback
    else callback()
  }

  stop() {
    this.#chunks = []
    this.#isPaused = false
    this.#afterLast = null
  }

  #next() {
    for (;;) {
      const [chunk] = this.#chunks
      if (chunk === undefined) return this.#end()
      const delivered = this.#scheduler.run(this, this.#delivery(chunk))
      if (delivered instanceof Promise) return this.#wait(delivered)
      this.#chunks.shift()
    }
  }

  #wait(delivered: Promise<void>) {
    const { pause, onError: failed } = this.#reader
    this.#isPaused = true
    pause()
    const advance = () => {
      this.#chunks.shift()
      this.#next()
    }
    delivered.then(advance).catch((error: unknown) => {
      this.stop()
      failed(error)
    })
  }

  #end() {
    const wasPaused = this.#isPaused
    this.#isPaused = false
    if (wasPaused) this.#reader.resume()
    const callback = this.#afterLast
    this.#afterLast = null
    callback?.()
  }

  // eslint-disable-next-line require-yield
  *#delivery(chunk: Buffer): Steps<void> {
    if (this.#chunks[0] === chunk) this.#reader.onChunk(chunk)
  }
}
