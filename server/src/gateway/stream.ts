/*
 * Hands an upstream's stream on to the client, with back-pressure both ways. When the client takes no
 * more, the upstream is paused; when it has left, the upstream is read on for the true usage, for a
 * while. The last bytes are not written here: the request is settled before they go out.
 */
import {
  classifyUpstreamError,
  errorEvent,
  problemFromTransport,
  type TransportFailure,
  type UpstreamProblem,
} from '@tollgate/relay'
import type { Client } from './client.ts'
import type { OpenStream, StreamReader } from './open-stream.ts'
import { withRequestId } from './refusal.ts'
import { finishResponse } from './respond.ts'

export type StreamEnding =
  | { type: 'finished' }
  | { type: 'broken'; problem: UpstreamProblem }
  /** The client had left, and the upstream did not end within the time it is read on. */
  | { type: 'abandoned' }

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

const DONE = 'data: [DONE]\n\n'

/** Resolves when the upstream has said all it will say. */
export function pumpStream(
  stream: OpenStream,
  client: Client,
  clientStallMs: number,
): Promise<StreamEnding> {
  return new Promise((resolve) => stream.read(new Pump(stream, client, clientStallMs, resolve)))
}

class Pump implements StreamReader {
  readonly #stream: OpenStream
  readonly #client: Client
  readonly #clientStallMs: number
  readonly #resolve: (ending: StreamEnding) => void
  readonly #stopListening: (() => void)[]
  #stall: NodeJS.Timeout | undefined
  #ended = false

  constructor(
    stream: OpenStream,
    client: Client,
    clientStallMs: number,
    resolve: (ending: StreamEnding) => void,
  ) {
    this.#stream = stream
    this.#client = client
    this.#clientStallMs = clientStallMs
    this.#resolve = resolve
    const { response } = client
    if (!client.left) response.writeHead(200, STREAM_HEADERS)
    const goOn = () => this.#goOn()
    response.on('drain', goOn)
    this.#stopListening = [
      () => response.off('drain', goOn),
      client.onTimeUp(() => this.#abandon()),
    ]
    this.#stopListening.push(client.onLeave(goOn))
  }

  blocks(blocks: readonly Buffer[]) {
    if (this.#ended) return
    if (blocks.length > 0 && !this.#client.left) this.#write(blocks)
    const { watch } = this.#stream
    if (watch.error !== null) {
      const failure = { status: this.#stream.status, headers: {}, body: watch.error }
      this.#conclude({ type: 'broken', problem: classifyUpstreamError(failure) })
    } else if (watch.overflowed) {
      this.#conclude({ type: 'broken', problem: problemFromTransport('too_large') })
    } else if (watch.done) this.#conclude({ type: 'finished' })
  }

  /** A stream whose choices are all finished is complete, whatever is missing behind them. */
  ended(failure: TransportFailure | null) {
    if (this.#ended) return
    if (this.#stream.watch.finished) return this.#conclude({ type: 'finished' })
    const problem = problemFromTransport(failure ?? 'closed_early')
    this.#conclude({ type: 'broken', problem })
  }

  #write(blocks: readonly Buffer[]) {
    const { response } = this.#client
    const [first] = blocks
    const bytes = first !== undefined && blocks.length === 1 ? first : Buffer.concat(blocks)
    if (response.write(bytes) || this.#stall !== undefined) return
    this.#stream.exchange.pause()
    this.#stall = setTimeout(() => response.destroy(), this.#clientStallMs)
  }

  /** The client takes bytes again, or will take none any more. */
  #goOn() {
    if (this.#stall === undefined) return
    clearTimeout(this.#stall)
    this.#stall = undefined
    this.#stream.exchange.resume()
  }

  #abandon() {
    this.#stream.exchange.abort()
    this.#conclude({ type: 'abandoned' })
  }

  #conclude(ending: StreamEnding) {
    this.#ended = true
    clearTimeout(this.#stall)
    for (const stop of this.#stopListening) stop()
    if (ending.type === 'finished') this.#stream.exchange.release()
    else this.#stream.exchange.abort()
    this.#resolve(ending)
  }
}

/** The last bytes: the end that was earned, or an error event and no end. */
export async function finishStream(
  client: Client,
  ending: StreamEnding,
  { requestId, sendMs }: { requestId: string; sendMs: number },
): Promise<void> {
  if (client.left || ending.type === 'abandoned') return
  if (ending.type === 'finished') return finishResponse(client.response, DONE, sendMs)
  const { type, param, code, message } = ending.problem
  const event = errorEvent({ type, param, code, message: withRequestId(message, requestId) })
  return finishResponse(client.response, event, sendMs)
}
