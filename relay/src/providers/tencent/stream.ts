import {
  ChatEvents,
  DONE_EVENT,
  errorEventOf,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { listOf, textOf } from '../../codec/chat-request.ts'
import { sseDecoder } from '../../codec/event-decoder.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { ToolCallPieces } from '../../codec/tool-call-pieces.ts'
import { isRecord, type JsonRecord, member } from '../../json-value.ts'
import { failureOf, finishOf, headOf, toolPiecesOf, usageOf } from './answer.ts'

/** The end of a stream is the reason for it; there is no mark of its own. Usage comes with every event. */
export function nativeDecoder(call: ProviderCall): StreamDecoder {
  let speaker: { events: ChatEvents; tools: ToolCallPieces } | null = null
  let usage: ReportedUsage | null = null
  let isFinished = false
  let isOver = false

  const begin = (json: JsonRecord) => {
    const events = new ChatEvents(headOf(json, call))
    return { events, tools: new ToolCallPieces(events, call.id) }
  }
  const event = (json: JsonRecord): Buffer[] => {
    if (isOver) return []
    const failure = failureOf(json) ?? failureOf(wrappedIn(json))
    if (failure !== null) {
      isOver = true
      return [errorEventOf(failure)]
    }
    const [choice] = listOf(json['Choices'])
    usage = usageOf(json['Usage']) ?? usage
    const opening = speaker === null
    const { events, tools } = (speaker ??= begin(json))
    const said = [
      ...(opening ? [events.delta({ role: 'assistant', content: '' })] : []),
      ...saidBy(member(choice, 'Delta'), events, tools),
    ]
    const reason = textOf(member(choice, 'FinishReason'))
    if (reason === '' || isFinished) return said
    isFinished = true
    return [...said, events.finish(finishOf(reason))]
  }
  const end = (): Buffer[] => {
    if (!isFinished || isOver || speaker === null) return []
    return [...(usage === null ? [] : [speaker.events.usage(usage)]), DONE_EVENT]
  }
  return sseDecoder({ event, end })
}

function saidBy(delta: unknown, events: ChatEvents, tools: ToolCallPieces): Buffer[] {
  const reasoning = textOf(member(delta, 'ReasoningContent'))
  const text = textOf(member(delta, 'Content'))
  return [
    ...(reasoning === '' ? [] : [events.reasoning(reasoning)]),
    ...(text === '' ? [] : [events.text(text)]),
    ...toolPiecesOf(delta).flatMap((piece) => tools.push(piece)),
  ]
}

/** A failure may come in the wrapping of whole answers. */
function wrappedIn({ Response: response }: JsonRecord): JsonRecord {
  return isRecord(response) ? response : {}
}
