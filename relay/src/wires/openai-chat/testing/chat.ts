import { parseJson } from '../../../bytes/json-value.ts'
import { finish } from '../../../bytes/steps.ts'
import { accepted } from '../../../errors/testing/accepted.ts'
import { dataEvent, DONE_CHUNK } from '../../../form/chat-chunk.ts'
import type { StreamEvent } from '../../../form/events.ts'
import type { TextEndpoint } from '../../../provider.ts'
import { NO_USAGE, parseUsage } from '../../../usage/usage.ts'
import { ChatStream } from '../../../watch/chat-stream.ts'
import { StreamObserver, type StreamObserverOptions } from '../../../watch/stream-observer.ts'
import type { ClientDialect } from '../../client-dialect.ts'
import { readChatAnswer } from '../chat-answer.ts'
import { readRequest } from '../read-head.ts'
import { ChunkEncoder } from '../stream-encoder.ts'

/** A request that is accepted. */
export const requestIn = (body: string | object, endpoint: TextEndpoint = 'chat') =>
  accepted(
    readRequest(endpoint, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))),
  )

/** A whole answer of one word. */
export function finishedBy(finish_reason: string): Buffer {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason }]
  return Buffer.from(JSON.stringify({ id: 'chatcmpl-1', model: 'gpt-4o', choices }))
}

export type WatchOptions = StreamObserverOptions & { readonly eventBytesMax?: number }

/** A stream of chat completions that passes through, with what its observer knows. */
export function watchChat(options: WatchOptions = {}) {
  const observer = new StreamObserver(options)
  const chat = new ChatStream(observer, options)
  return Object.assign(observer, {
    push: (chunk: Buffer) => chat.push(chunk),
    end: () => chat.end(),
  })
}

/** The events of chunks in bytes. */
export const readChat = (...chunks: readonly (string | Buffer)[]): StreamEvent[] => {
  const chat = new ChatStream(new StreamObserver())
  return chunks.flatMap((chunk) => chat.read(Buffer.from(chunk)))
}

/** What a client gets of a chat completion. `metered` is the usage of a report without usage. */
export function answerIn(dialect: ClientDialect, completion: Buffer, metered = NO_USAGE): unknown {
  const answer = readChatAnswer(parseJson(completion.toString()))
  const usage = parseUsage(answer.usage) ?? metered
  return parseJson(finish(dialect.answer(answer, { usage, bytes: 0 })).toString())
}

/** The last usage, as the gateway gives it to an encoder. */
export const finalUsage = (promptTokens: number, completionTokens: number) => ({
  head: { id: 'chatcmpl-1', created: 1, model: 'gpt-4o' },
  promptTokens,
  completionTokens,
  reported: null,
})

/** Events as chunks, together with those that clients do not get. */
export function chunksOf(events: readonly StreamEvent[], encoder = new ChunkEncoder()): Buffer {
  const start = events.find((event) => event.type === 'start')
  const head = { ...start?.head, object: 'chat.completion.chunk', choices: [] }
  const chunks = events.map((event) => {
    switch (event.type) {
      case 'usage':
        return dataEvent({ ...head, [event.isFinal ? 'usage' : 'usage_so_far']: event.report })
      case 'error':
        return dataEvent(event.body)
      case 'done':
        return DONE_CHUNK
      default:
        return Buffer.from(encoder.write([event]))
    }
  })
  return Buffer.concat(chunks)
}
