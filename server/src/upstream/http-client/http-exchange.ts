import type { TransportFailure } from '@tollgate/relay'
import { JOINED_BYTES_MAX } from '../../http/write-coalescing.ts'
import { HeadWriter } from '../../http1/head-writer.ts'
import { writeRequestHead } from '../../http1/request-head.ts'
import { type AnswerSink, endSink } from '../exchange.ts'

export type HttpRequest = {
  /** Like `https://host:port`. */
  origin: string
  /** Null for a direct connection. */
  proxy: string | null
  /** The head, with a small body. */
  bytes: Buffer
  /** A large body, which is not copied. */
  largeBody: Buffer | null
}

const head = new HeadWriter()

type RequestParts = {
  readonly origin: string
  readonly proxy: string | null
  /** Path and query. */
  readonly target: string
  readonly host: string
  readonly headers: Readonly<Record<string, string>>
  /** Null sends a GET, anything else a POST. */
  readonly body: Buffer | null
}

/** Throws a `TypeError` on characters that could alter the request. */
export function httpRequest(parts: RequestParts): HttpRequest {
  const { origin, proxy, target, host, headers, body } = parts
  const method = body === null ? 'GET' : 'POST'
  const length = body === null ? null : body.length
  writeRequestHead(head, { method, target, host, headers, length })
  const isLarge = body !== null && body.length > JOINED_BYTES_MAX
  return isLarge
    ? { origin, proxy, bytes: head.join(), largeBody: body }
    : { origin, proxy, bytes: head.join(body ?? undefined), largeBody: null }
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
