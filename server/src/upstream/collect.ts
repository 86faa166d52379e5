import type { IncomingHttpHeaders } from 'node:http'
import { ByteCollector, type TransportFailure } from '@tollgate/relay'
import type { Sender, UpstreamCall } from './exchange.ts'

/** As much of a failure as is ever read. */
const HIDDEN_BYTES_MAX = 64 * 1024
/** Servers without keys are given some word, which is no secret and may be a part of any answer. */
const KEY_LENGTH_LEAST = 8

export type WholeAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer }

export const isSuccess = (status: number) => status >= 200 && status < 300

/** Aborts after so many milliseconds, or when the other signal does. */
export function until(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const late = AbortSignal.timeout(milliseconds)
  return signal === undefined ? late : AbortSignal.any([late, signal])
}

/** What a provider says of a failure, in case it repeats the key. */
export function hideKey(body: Buffer, key: string): string {
  const text = body.toString('utf8', 0, HIDDEN_BYTES_MAX)
  return key.length < KEY_LENGTH_LEAST ? text : text.replaceAll(key, '[key]')
}

/** The most bytes a body of this status may have. */
export function bodyBytesMax(upstream: Pick<Sender, 'limits'>, status: number): number {
  return isSuccess(status) ? upstream.limits.answerBytesMax : upstream.limits.errorBytesMax
}

/** Sends a request and waits for its whole answer, until the signal says that it is too late. */
export function sendForWhole(
  upstream: Sender,
  call: UpstreamCall,
  { signal, bytesMax = Infinity }: { signal: AbortSignal; bytesMax?: number },
): Promise<WholeAnswer | TransportFailure> {
  return new Promise((resolve) => {
    const collector = new ByteCollector()
    const giveUp = () => {
      exchange.abort()
      resolve('total_timeout')
    }
    const close = (result: WholeAnswer | TransportFailure) => {
      signal.removeEventListener('abort', giveUp)
      resolve(result)
    }
    let head = { status: 0, headers: {} }
    const exchange = upstream.send(call, {
      head: (status, headers) => (head = { status, headers }),
      data: (chunk) => {
        collector.add(chunk)
        if (collector.size <= Math.min(bytesMax, bodyBytesMax(upstream, head.status))) return
        exchange.abort()
        close('too_large')
      },
      end: () => close({ ...head, body: collector.bytes() }),
      fail: close,
    })
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
  })
}
