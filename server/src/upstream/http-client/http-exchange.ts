import type { TransportFailure } from '@tollgate/relay'
import { type AnswerSink, endSink } from '../exchange.ts'

export type HttpRequest = {
  /** Like `https://host:port`. */
  origin: string
  /** Null for a direct connection. */
  proxy: string | null
  /** In Latin-1, including the empty line. */
  head: string
  body: Buffer | null
}

type Carrier = { pause: () => void; resume: () => void; destroy: () => void }

/** One request and its answer: queued, running on a connection, or over. */
export class HttpExchange {
  readonly request: HttpRequest
  readonly sink: AnswerSink
  #connection: Carrier | null = null
  #isOver = false

  constructor(request: HttpRequest, sink: AnswerSink) {
    this.request = request
    this.sink = sink
  }

  attachTo(connection: Carrier) {
    this.#connection = connection
  }

  /** Detaches from the connection; later calls no longer affect it. */
  end() {
    this.#isOver = true
    this.#connection = null
  }

  finish() {
    endSink(this.sink)
  }

  fail(failure: TransportFailure) {
    if (this.#isOver) return
    this.end()
    this.sink.fail(failure)
  }

  pause() {
    this.#connection?.pause()
  }

  resume() {
    this.#connection?.resume()
  }

  /** Closes the connection; the sink receives nothing more. */
  destroy() {
    const connection = this.#connection
    this.end()
    connection?.destroy()
  }
}
