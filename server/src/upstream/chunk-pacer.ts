import type { Steps } from '@tollgate/relay'
import { scheduler } from '../scheduler/fair-scheduler.ts'

export type PacedReader = {
  readonly give: (chunk: Buffer) => void
  readonly pause: () => void
  readonly resume: () => void
  /** Receives errors thrown by `give`. */
  readonly failed: (error: unknown) => void
}

/**
 * Delivers chunks that may complete a large event, which is slow to parse. Each delivery is
 * scheduled fairly with all other work.
 */
export class ChunkPacer {
  readonly #reader: PacedReader
  #chunks: Buffer[] = []
  #isPaused = false
  #afterLast: (() => void) | null = null

  constructor(reader: PacedReader) {
    this.#reader = reader
  }

  get isWaiting(): boolean {
    return this.#chunks.length > 0
  }

  /** The pacer has paused the source and will resume it. */
  get isPausing(): boolean {
    return this.#isPaused
  }

  give(chunk: Buffer) {
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
      const given = scheduler.run(this, this.#giving(chunk))
      if (given instanceof Promise) return this.#wait(given)
      this.#chunks.shift()
    }
  }

  #wait(given: Promise<void>) {
    const { pause, failed } = this.#reader
    this.#isPaused = true
    pause()
    const goOn = () => {
      this.#chunks.shift()
      this.#next()
    }
    given.then(goOn).catch((error: unknown) => {
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
  *#giving(chunk: Buffer): Steps<void> {
    if (this.#chunks[0] === chunk) this.#reader.give(chunk)
  }
}
