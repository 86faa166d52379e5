import type { IncomingHttpHeaders } from 'node:http'
import type { TransportFailure } from '@tollgate/relay'
import type { Upstream, UpstreamCall } from './send.ts'

/** A body as it comes, up to a limit. */
export class BodyCollector {
  readonly #chunks: Buffer[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(chunk: Buffer) {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  body(): Buffer {
    const [first] = this.#chunks
    return first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
  }
}

export type WholeAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

export const isSuccess = (status: number) => status >= 200 && status < 300

/** The most bytes a body of this status may have. */
export function bodyBytesMax(upstream: Upstream, status: number): number {
  return isSuccess(status) ? upstream.limits.answerBytesMax : upstream.limits.errorBytesMax
}

/** Sends a request and waits for its whole answer. */
export function sendForWhole(
  upstream: Upstream,
  call: UpstreamCall,
): Promise<WholeAnswer | TransportFailure> {
  return new Promise((resolve) => {
    const collector = new BodyCollector()
    let head = { status: 0, headers: {} }
    const exchange = upstream.send(call, {
      head: (status, headers) => (head = { status, headers }),
      data: (chunk) => {
        collector.add(chunk)
        if (collector.size <= bodyBytesMax(upstream, head.status)) return
        exchange.abort()
        resolve('too_large')
      },
      end: () => resolve({ ...head, body: collector.body() }),
      fail: resolve,
    })
  })
}
