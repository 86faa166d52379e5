import {
  ChatEvents,
  DONE_EVENT,
  errorEventOf,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { sseDecoder } from '../../codec/event-decoder.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { ToolCallPieces } from '../../codec/tool-call-pieces.ts'
import { isRecord, type JsonRecord, member, listOf, textOf } from '../../json-value.ts'
import { failureOf, finishOf, headOf, toolPiecesOf, usageOf } from './answer.ts'
import { StopTail } from './stop-tail.ts'

/** A stream ends with its finish reason; there is no end marker. Every event carries the usage. */
export function nativeDecoder(call: ProviderCall): StreamDecoder {
  let speaker: Speaker | null = null
  let usage: ReportedUsage | null = null
  let isFinished = false
  let isOver = false

  const begin = (json: JsonRecord): Speaker => {
    const events = new ChatEvents(headOf(json, call))
    const tail = new StopTail(call.request['stop'])
    return { events, tail, tools: new ToolCallPieces(events, call.id) }
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
    const { events, tail } = (speaker ??= begin(json))
    const said = [
      ...(opening ? [events.delta({ role: 'assistant', content: '' })] : []),
      ...saidBy(member(choice, 'Delta'), speaker),
    ]
    const reason = textOf(member(choice, 'FinishReason'))
    if (reason === '' || isFinished) return [...said, ...events.usageSoFar(usage)]
    isFinished = true
    return [...said, ...textEvents(tail.end(), events), events.finish(finishOf(reason))]
  }
  const end = (): Buffer[] => {
    if (!isFinished || isOver || speaker === null) return []
    return [...(usage === null ? [] : [speaker.events.usage(usage)]), DONE_EVENT]
  }
  return sseDecoder({ event, end })
}

type Speaker = {
  readonly events: ChatEvents
  readonly tools: ToolCallPieces
  readonly tail: StopTail
}

function saidBy(delta: unknown, { events, tools, tail }: Speaker): Buffer[] {
  const reasoning = textOf(member(delta, 'ReasoningContent'))
  return [
    ...(reasoning === '' ? [] : [events.reasoning(reasoning)]),
    ...textEvents(tail.push(textOf(member(delta, 'Content'))), events),
    ...toolPiecesOf(delta).flatMap((piece) => tools.push(piece)),
  ]
}

const textEvents = (text: string, events: ChatEvents) => (text === '' ? [] : [events.text(text)])

/** A failure may come wrapped like a whole answer. */
function wrappedIn({ Response: response }: JsonRecord): JsonRecord {
  return isRecord(response) ? response : {}
}
