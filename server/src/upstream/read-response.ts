import type { IncomingHttpHeaders } from 'node:http'
import { type Answer, ByteCollector, prepareAnswer, type TransportFailure } from '@tollgate/relay'
import { scheduler } from '../scheduler/fair-scheduler.ts'
import type { Sender, UpstreamCall } from './exchange.ts'

export type CollectedAnswer = {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The decoded answer of a chat. Null for other bodies. */
  answer: Answer | null
}

export const isSuccess = (status: number) => status >= 200 && status < 300

export function deadlineSignal(milliseconds: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(milliseconds)
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal])
}

export function bodyBytesMax(upstream: Pick<Sender, 'limits'>, status: number): number {
  return isSuccess(status) ? upstream.limits.answerBytesMax : upstream.limits.errorBytesMax
}

/** Sends a request and collects its whole answer. An abort results in `total_timeout`. */
export function sendAndCollect(
  upstream: Sender,
  call: UpstreamCall,
  { signal, bytesMax = Infinity }: { signal: AbortSignal; bytesMax?: number },
): Promise<CollectedAnswer | TransportFailure> {
  return new Promise((resolve) => {
    const collector = new ByteCollector()
    const giveUp = () => {
      exchange.abort()
      resolve('total_timeout')
    }
    const close = (result: CollectedAnswer | TransportFailure) => {
      signal.removeEventListener('abort', giveUp)
      resolve(result)
    }
    let head = { status: 0, headers: {} }
    let answer: Answer | null = null
    const exchange = upstream.send(call, {
      head: (status, headers) => (head = { status, headers }),
      data: (chunk) => {
        collector.add(chunk)
        if (collector.size <= Math.min(bytesMax, bodyBytesMax(upstream, head.status))) return
        exchange.abort()
        close('too_large')
      },
      answer: (decoded, body) => {
        answer = decoded
        collector.add(body)
      },
      end: () => {
        const body = collector.bytes()
        const end = (isRead: boolean) => close(isRead ? { ...head, body, answer } : 'too_large')
        const preparing = scheduler.run(collector, prepareAnswer(body))
        if (preparing instanceof Promise) void preparing.then(end)
        else end(preparing)
      },
      fail: close,
    })
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
  })
}
