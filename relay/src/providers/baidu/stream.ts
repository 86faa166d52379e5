import {
  ChatEvents,
  dataEvent,
  DONE_EVENT,
  type FinishReason,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { sseDecoder } from '../../codec/event-decoder.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { ToolCallEncoder } from '../../codec/tool-call-encoder.ts'
import { isRecord, type JsonRecord, member, textOf } from '../../json-value.ts'
import { finishOf, headOf, isFailure, isUnsafe, usageOf } from './answer.ts'

/** The last event has `is_end`. Usage is cumulative and comes with every event. */
export function wenxinDecoder(call: ProviderCall): StreamDecoder {
  let state: { events: ChatEvents; tools: ToolCallEncoder } | null = null
  let usage: ReportedUsage | null = null
  let hasCalled = false
  let wasUnsafe = false
  let isOver = false

  const finish = (json: JsonRecord): FinishReason => {
    if (wasUnsafe) return 'content_filter'
    return hasCalled && finishOf(json) === 'stop' ? 'tool_calls' : finishOf(json)
  }
  const event = (json: JsonRecord): Buffer[] => {
    if (isOver) return []
    isOver = isFailure(json) || json['is_end'] === true
    if (isFailure(json)) return [dataEvent(json)]
    const isFirst = state === null
    const { events, tools } = (state ??= start(json, call))
    usage = usageOf(json['usage']) ?? usage
    wasUnsafe ||= isUnsafe(json)
    hasCalled ||= isRecord(json['function_call'])
    return [
      ...(isFirst ? [events.delta({ role: 'assistant', content: '' })] : []),
      ...contentEvents(json, events, tools),
      ...(isOver ? [events.finish(finish(json))] : []),
      ...(isOver && usage !== null ? [events.usage(usage)] : []),
      ...(isOver ? [DONE_EVENT] : []),
    ]
  }
  return sseDecoder({ event })
}

function start(json: JsonRecord, call: ProviderCall) {
  const events = new ChatEvents(headOf(json, call))
  return { events, tools: new ToolCallEncoder(events, call.id) }
}

function contentEvents(json: JsonRecord, events: ChatEvents, tools: ToolCallEncoder): Buffer[] {
  const { function_call: call } = json
  const reasoning = textOf(member(call, 'thoughts'))
  const text = textOf(json['result'])
  const delta = {
    id: '',
    index: 0,
    name: textOf(member(call, 'name')),
    arguments: textOf(member(call, 'arguments')),
  }
  return [
    ...(reasoning === '' ? [] : [events.reasoning(reasoning)]),
    ...(text === '' ? [] : [events.text(text)]),
    ...(isRecord(call) ? tools.push(delta) : []),
  ]
}
