import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import type { Decoded } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { lineDecoder } from '../../streams/event-decoder.ts'
import type { EventReader } from '../../streams/event-reader.ts'
import { gathered } from '../../streams/gather-answer.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'
import { finishOf, logprobsOf, toolCallsOf, usageOf } from './answer.ts'

/** Lines of JSON; the last line has `done`. */
export const chatDecoder = (call: ProviderCall): EventDecoder => lineDecoder(chatReader(call))

/** Reads a whole answer like the only line of a stream. */
export function decodeChat(body: Buffer, call: ProviderCall): Decoded {
  const json = jsonIn(body)
  if (!isRecord(json) || !isRecord(json['message']) || json['error']) return body
  return gathered(chatReader(call).event(json)) ?? body
}

function chatReader(call: ProviderCall): EventReader {
  let events: AnswerEvents | null = null
  let toolCallCount = 0
  let isOver = false

  const start = (line: JsonRecord): StreamEvent[] => {
    if (events !== null) return []
    const created = Date.parse(textOf(line['created_at'])) / 1000
    events = answerEvents(call, { created, model: line['model'] })
    return [events.start()]
  }
  const contentEvents = (chatEvents: AnswerEvents, line: JsonRecord): StreamEvent[] => {
    const message = isRecord(line['message']) ? line['message'] : {}
    const [thinking, content] = [textOf(message['thinking']), textOf(message['content'])]
    const logprobs = logprobsOf(line)
    const calls = toolCallsOf(message, call.id, toolCallCount)
    const tools = calls.map((toolCall, index) =>
      chatEvents.toolCall(toolCallCount + index, toolCall),
    )
    toolCallCount += calls.length
    return [
      ...(thinking === '' ? [] : [chatEvents.reasoning(thinking)]),
      ...(content === '' && logprobs === undefined ? [] : [chatEvents.text(content, 0, logprobs)]),
      ...tools,
    ]
  }
  const finish = (chatEvents: AnswerEvents, line: JsonRecord): StreamEvent[] => {
    if (line['done'] !== true) return []
    isOver = true
    const usage = usageOf(line)
    return [
      chatEvents.finish(finishOf(line, toolCallCount > 0)),
      ...(usage === null ? [] : [chatEvents.usage(usage)]),
      DONE,
    ]
  }
  return {
    event: (line) => {
      if (isOver) return []
      if (line['error']) {
        isOver = true
        return [errorEvent(line)]
      }
      const first = start(line)
      return events === null
        ? first
        : [...first, ...contentEvents(events, line), ...finish(events, line)]
    },
  }
}
