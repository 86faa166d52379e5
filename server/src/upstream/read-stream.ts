import {
  type Answer,
  ByteCollector,
  ChatStream,
  gathered,
  type StreamEvent,
  StreamObserver,
  type TransportFailure,
} from '@tollgate/relay'
import type { Sender, UpstreamCall } from './exchange.ts'
import { bodyBytesMax, type CollectedAnswer, isSuccess } from './read-response.ts'

/**
 * Sends a request for a stream and collects it to a whole answer. An error in the stream becomes
 * the body. An abort results in `total_timeout`.
 */
export function sendAndGather(
  upstream: Sender,
  call: UpstreamCall,
  { signal }: { signal: AbortSignal },
): Promise<CollectedAnswer | TransportFailure> {
  return new Promise((resolve) => {
    const observer = new StreamObserver()
    const stream = new ChatStream(observer)
    const collector = new ByteCollector()
    const events: StreamEvent[] = []
    let head: Pick<CollectedAnswer, 'status' | 'headers'> = { status: 0, headers: {} }
    const giveUp = () => {
      exchange.abort()
      close('total_timeout')
    }
    const close = (result: CollectedAnswer | TransportFailure) => {
      signal.removeEventListener('abort', giveUp)
      resolve(result)
    }
    const exchange = upstream.send(call, {
      head: (status, headers) => (head = { status, headers }),
      data: (chunk) => {
        collector.add(chunk)
        if (isSuccess(head.status)) events.push(...stream.read(chunk))
        if (collector.size <= bodyBytesMax(upstream, head.status)) return
        exchange.abort()
        close('too_large')
      },
      events: (decoded) => void events.push(...decoded),
      end: () => {
        if (isSuccess(head.status)) events.push(...stream.readEnd())
        const error = observer.error ?? errorIn(events)
        const body = error === null ? collector.bytes() : Buffer.from(JSON.stringify(error))
        close({ ...head, body, answer: error === null ? answerIn(events, observer) : null })
      },
      fail: close,
    })
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
  })
}

const errorIn = (events: readonly StreamEvent[]) =>
  events.find((event) => event.type === 'error')?.body ?? null

/** An observer withholds the usage of chat completions, which clients need not have asked for. */
function answerIn(events: readonly StreamEvent[], observer: StreamObserver): Answer | null {
  const answer = gathered(events)
  return answer && { ...answer, usage: answer.usage ?? observer.withheldUsage }
}
