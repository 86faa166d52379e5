import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  textOf,
  member,
  stringifyOrEmpty,
  listOf,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { Decoded, FinishReason, ReportedUsage, ToolCall } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { lineDecoder } from '../../streams/event-decoder.ts'
import type { EventReader } from '../../streams/event-reader.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

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

/** Calls are never split. `before` is the number of earlier calls in the same answer. */
function toolCallsOf(message: JsonRecord, requestId: string, before: number): ToolCall[] {
  return listOf(message['tool_calls'])
    .filter(isRecord)
    .map((call, index) => {
      const named = call['function']
      const input = member(named, 'arguments')
      return {
        id: textOf(call['id']) || `${requestId}-${before + index}`,
        name: textOf(member(named, 'name')),
        input: isRecord(input) ? stringifyOrEmpty(input) : textOf(input) || '{}',
      }
    })
}

function finishOf(json: JsonRecord, hasToolCalls: boolean): FinishReason {
  if (hasToolCalls) return 'tool_calls'
  return json['done_reason'] === 'length' ? 'length' : 'stop'
}

/** Null if the prompt was cached and therefore not counted. */
function usageOf(json: JsonRecord): ReportedUsage | null {
  const { prompt_eval_count: prompt, eval_count: completion } = json
  const isCounted = typeof prompt === 'number' && prompt > 0 && typeof completion === 'number'
  return isCounted ? { promptTokens: prompt, completionTokens: completion } : null
}

function logprobsOf(json: JsonRecord): JsonRecord | undefined {
  const { logprobs } = json
  if (!Array.isArray(logprobs) || logprobs.length === 0) return undefined
  const content = logprobs.filter(isRecord).map((one) => ({
    token: one['token'],
    logprob: one['logprob'],
    bytes: one['bytes'] ?? null,
    top_logprobs: listOf(one['top_logprobs']),
  }))
  return { content, refusal: null }
}

export function decodeEmbeddings(
  body: Buffer,
  { request, model }: ProviderCall,
): Buffer | Steps<Buffer> {
  const json = jsonIn(body)
  const vectors = member(json, 'embeddings')
  if (!Array.isArray(vectors)) return body
  const prompt = member(json, 'prompt_eval_count')
  const promptTokens = typeof prompt === 'number' && prompt > 0 ? prompt : null
  const named = textOf(member(json, 'model')) || model
  return embeddingsAnswer({ request, model: named }, vectors, promptTokens)
}
