import { isRecord, type JsonRecord, member, listOf, textOf } from '../../bytes/json-value.ts'
import type { FinishReason, ReportedUsage, ToolCall, Decoded } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { lineDecoder } from '../../streams/event-decoder.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { parseUsage } from '../../usage/usage.ts'
import { functionsOf } from '../../wires/openai-chat/chat-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'
import { outputLimitFor, withoutSearch, FunctionNames } from './request.ts'
import { versionOf } from './version.ts'

const LAST = 2

/**
 * The content of one message of an answer. A message without choices (search results) may precede
 * the text.
 */
type Frame = {
  readonly text: string
  readonly reasoning: string
  readonly toolCall: ToolCall | null
}

const isFailure = (json: JsonRecord) => {
  const code = member(json['header'], 'code')
  return typeof code === 'number' && code !== 0
}

export const isLastFrame = (json: JsonRecord) =>
  isFailure(json) || member(json['header'], 'status') === LAST

/** Reads all messages, one per line. A body without a last message is returned unchanged. */
export function decode(body: Buffer, call: ProviderCall): Decoded {
  const reader = decoder(call)
  const events = [...reader.push(body), ...reader.end()]
  const failure = events.find((event) => event.type === 'error')
  if (failure !== undefined) return Buffer.from(JSON.stringify(failure.body))
  return events.includes(DONE) ? (gathered(events) ?? body) : body
}

export function decoder(call: ProviderCall): EventDecoder {
  let events: AnswerEvents | null = null
  let hasCalled = false
  let isOver = false
  const read = (json: JsonRecord): StreamEvent[] => {
    if (isOver) return []
    isOver = isLastFrame(json)
    // `header` is kept as well, so that its code is classified as in a whole answer.
    if (isFailure(json)) return [errorEvent({ error: json['header'], header: json['header'] })]
    const isFirst = events === null
    events ??= answerEvents(call, { id: member(json['header'], 'sid') })
    const { text, reasoning, toolCall } = readFrame(json, call)
    const isNew = toolCall !== null && !hasCalled
    hasCalled ||= isNew
    return [
      ...(isFirst ? [events.start()] : []),
      ...events.output(text, reasoning),
      ...(isNew ? [events.toolCall(0, toolCall)] : []),
      ...(isOver ? finish(events, json) : []),
    ]
  }
  const finish = (chatEvents: AnswerEvents, json: JsonRecord): StreamEvent[] => {
    const usage = usageOf(json)
    const reported = usage === null ? [] : [chatEvents.usage(usage)]
    return [chatEvents.finish(finishOf(hasCalled, usage, call)), ...reported, DONE]
  }
  return lineDecoder({ event: read })
}

function readFrame(json: JsonRecord, call: ProviderCall): Frame {
  const texts = listOf(member(member(json['payload'], 'choices'), 'text'))
  const all = (name: string) => texts.map((text) => textOf(member(text, name))).join('')
  const called = texts.map((text) => member(text, 'function_call')).find(isRecord)
  return {
    text: all('content'),
    reasoning: all('reasoning_content'),
    toolCall: called === undefined ? null : toolCallOf(called, call),
  }
}

function toolCallOf(called: JsonRecord, { id, request }: ProviderCall): ToolCall {
  const names = new FunctionNames(functionsOf(withoutSearch(request)))
  return {
    id: `${id}-0`,
    name: names.decode(textOf(called['name'])),
    input: textOf(called['arguments']) || '{}',
  }
}

const usageOf = (json: JsonRecord): ReportedUsage | null =>
  parseUsage(member(member(json['payload'], 'usage'), 'text'))

function finishOf(
  hasCalled: boolean,
  usage: ReportedUsage | null,
  call: ProviderCall,
): FinishReason {
  if (hasCalled) return 'tool_calls'
  const limit = outputLimitFor(call.request, versionOf(call)) ?? Infinity
  return usage !== null && usage.completionTokens >= limit ? 'length' : 'stop'
}
