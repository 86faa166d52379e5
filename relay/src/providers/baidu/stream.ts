import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  member,
  textOf,
  listOf,
  numberOrZero,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { FinishReason, ReportedUsage, Decoded } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import type { EventReader } from '../../streams/event-reader.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { ToolCallEncoder } from '../../streams/tool-call-encoder.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

export const wenxinDecoder = (call: ProviderCall): EventDecoder => sseDecoder(wenxinReader(call))

/** Reads a whole answer like the last event of a stream. */
export function decodeAnswer(body: Buffer, call: ProviderCall): Decoded | Steps<Decoded> {
  const json = jsonIn(body)
  if (!isRecord(json) || isFailure(json)) return body
  if (call.endpoint === 'embeddings') return decodeEmbeddings(json, call) ?? body
  if (typeof json['result'] !== 'string' && !isRecord(json['function_call'])) return body
  return gathered(wenxinReader(call).event({ ...json, is_end: true })) ?? body
}

/** The last event has `is_end`. Usage is cumulative and comes with every event. */
function wenxinReader(call: ProviderCall): EventReader {
  let state: { events: AnswerEvents; tools: ToolCallEncoder } | null = null
  let usage: ReportedUsage | null = null
  let hasCalled = false
  let wasUnsafe = false
  let isOver = false

  const finish = (json: JsonRecord): FinishReason => {
    if (wasUnsafe) return 'content_filter'
    return hasCalled && finishOf(json) === 'stop' ? 'tool_calls' : finishOf(json)
  }
  const event = (json: JsonRecord): StreamEvent[] => {
    if (isOver) return []
    isOver = isFailure(json) || json['is_end'] === true
    if (isFailure(json)) return [{ type: 'error', body: json }]
    const isFirst = state === null
    const { events, tools } = (state ??= start(json, call))
    usage = usageOf(json['usage']) ?? usage
    wasUnsafe ||= isUnsafe(json)
    hasCalled ||= isRecord(json['function_call'])
    return [
      ...(isFirst ? [events.start()] : []),
      ...contentEvents(json, events, tools),
      ...(isOver ? [events.finish(finish(json))] : []),
      ...(isOver && usage !== null ? [events.usage(usage)] : []),
      ...(isOver ? [DONE] : []),
    ]
  }
  return { event }
}

function start(json: JsonRecord, call: ProviderCall) {
  const events = answerEvents(call, { id: json['id'], created: json['created'] })
  return { events, tools: new ToolCallEncoder(events, call.id) }
}

function contentEvents(
  json: JsonRecord,
  events: AnswerEvents,
  tools: ToolCallEncoder,
): StreamEvent[] {
  const { function_call: call } = json
  const delta = {
    id: '',
    index: 0,
    name: textOf(member(call, 'name')),
    arguments: textOf(member(call, 'arguments')),
  }
  return [
    ...events.output(textOf(json['result']), textOf(member(call, 'thoughts'))),
    ...(isRecord(call) ? tools.push(delta) : []),
  ]
}

/** Failures have status 200. */
const isFailure = ({ error_code: code }: JsonRecord) => typeof code === 'number' && code !== 0

function decodeEmbeddings(json: JsonRecord, call: ProviderCall): Steps<Buffer> | null {
  const data = listOf(json['data'])
  if (data.length === 0) return null
  const vectors = data.map((item) => member(item, 'embedding'))
  return embeddingsAnswer(call, vectors, member(json['usage'], 'prompt_tokens'))
}

/** Baidu asks to clear the history if something in it is unsafe. */
const isUnsafe = ({ need_clear_history: clear, flag }: JsonRecord) =>
  clear === true || numberOrZero(flag) > 0

function finishOf(json: JsonRecord): FinishReason {
  const { finish_reason: reason, is_truncated: isTruncated, function_call: call } = json
  if (reason === 'content_filter' || isUnsafe(json)) return 'content_filter'
  if (isRecord(call) || reason === 'function_call') return 'tool_calls'
  return reason === 'length' || isTruncated === true ? 'length' : 'stop'
}

/** In streams only the prompt and the total are reliable. */
function usageOf(usage: unknown): ReportedUsage | null {
  if (!isRecord(usage)) return null
  const promptTokens = numberOrZero(usage['prompt_tokens'])
  const rest = numberOrZero(usage['total_tokens']) - promptTokens
  return {
    promptTokens,
    completionTokens: Math.max(rest, numberOrZero(usage['completion_tokens'])),
  }
}
