import type { TransportFailure } from '@tollgate/relay'
import { type AnswerSink, tellEnd } from '../exchange.ts'

export type HttpRequest = {
  /** Like `https://host:port`. */
  origin: string
  /** The proxy to go through; null for none. */
  proxy: string | null
  /** In Latin-1, with the empty line. */
  head: string
  body: Buffer | null
}

/** Of a connection, what its request can do with it. */
type Carrier = { pause: () => void; resume: () => void; destroy: () => void }

/** One request and its answer: waiting for a connection, carried by one, or over. */
export class HttpExchange {
  readonly request: HttpRequest
  readonly sink: AnswerSink
  #connection: Carrier | null = null
  #isOver = false

  constructor(request: HttpRequest, sink: AnswerSink) {
    this.request = request
    this.sink = sink
  }

  carriedBy(connection: Carrier) {
    this.#connection = connection
  }

  /** It has ended, and nothing it says later is for its connection. */
  end() {
    this.#isOver = true
    this.#connection = null
  }

  /** The answer is whole. */
  finish() {
    tellEnd(this.sink)
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

  /** Ends it with its connection; its sink hears nothing more. */
  destroy() {
    const connection = this.#connection
    this.end()
    connection?.destroy()
  }
}
