import {
  ChatEvents,
  dataEvent,
  DONE_EVENT,
  type FinishReason,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { sseDecoder } from '../../codec/event-decoder.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { ToolCallPieces } from '../../codec/tool-call-pieces.ts'
import { isRecord, type JsonRecord, member, textOf } from '../../json-value.ts'
import { finishOf, headOf, isFailure, isUnsafe, usageOf } from './answer.ts'

/** The last event has `is_end`. Usage is cumulative and comes with every event. */
export function wenxinDecoder(call: ProviderCall): StreamDecoder {
  let speaker: { events: ChatEvents; tools: ToolCallPieces } | null = null
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
    const isFirst = speaker === null
    const { events, tools } = (speaker ??= begin(json, call))
    usage = usageOf(json['usage']) ?? usage
    wasUnsafe ||= isUnsafe(json)
    hasCalled ||= isRecord(json['function_call'])
    return [
      ...(isFirst ? [events.delta({ role: 'assistant', content: '' })] : []),
      ...saidBy(json, events, tools),
      ...(isOver ? [events.finish(finish(json))] : []),
      ...(isOver && usage !== null ? [events.usage(usage)] : []),
      ...(isOver ? [DONE_EVENT] : []),
    ]
  }
  return sseDecoder({ event })
}

function begin(json: JsonRecord, call: ProviderCall) {
  const events = new ChatEvents(headOf(json, call))
  return { events, tools: new ToolCallPieces(events, call.id) }
}

function saidBy(json: JsonRecord, events: ChatEvents, tools: ToolCallPieces): Buffer[] {
  const { function_call: made } = json
  const thoughts = textOf(member(made, 'thoughts'))
  const text = textOf(json['result'])
  const piece = {
    id: '',
    index: 0,
    name: textOf(member(made, 'name')),
    arguments: textOf(member(made, 'arguments')),
  }
  return [
    ...(thoughts === '' ? [] : [events.reasoning(thoughts)]),
    ...(text === '' ? [] : [events.text(text)]),
    ...(isRecord(made) ? tools.push(piece) : []),
  ]
}
