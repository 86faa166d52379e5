import type { StreamWatch, TransportFailure } from '@tollgate/relay'
import type { Exchange } from '../upstream/send.ts'

export type StreamReader = {
  blocks: (blocks: readonly Buffer[]) => void
  /** `failure` is null when the upstream ended its answer in the regular way. */
  ended: (failure: TransportFailure | null) => void
}

/** An upstream's stream whose first event has come; keeps what comes until somebody reads. */
export class OpenStream {
  readonly watch: StreamWatch
  readonly exchange: Exchange
  readonly status: number
  #waiting: Buffer[]
  #end: { failure: TransportFailure | null } | null = null
  #reader: StreamReader | null = null

  constructor(watch: StreamWatch, exchange: Exchange, status: number, first: readonly Buffer[]) {
    this.watch = watch
    this.exchange = exchange
    this.status = status
    this.#waiting = [...first]
  }

  push(chunk: Buffer) {
    this.#give(this.watch.push(chunk))
  }

  end(failure: TransportFailure | null) {
    this.#give(this.watch.end())
    this.#end = { failure }
    this.#reader?.ended(failure)
  }

  read(reader: StreamReader) {
    const waiting = this.#waiting
    this.#waiting = []
    this.#reader = reader
    reader.blocks(waiting)
    if (this.#end !== null) reader.ended(this.#end.failure)
  }

  #give(blocks: readonly Buffer[]) {
    if (this.#reader) this.#reader.blocks(blocks)
    else this.#waiting.push(...blocks)
  }
}
