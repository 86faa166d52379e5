import { AnswerEvents } from '../../codec/answer-events.ts'
import { sseDecoder } from '../../codec/event-decoder.ts'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { ToolCallEncoder } from '../../codec/tool-call-encoder.ts'
import type { ReportedUsage } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { isRecord, type JsonRecord, member, listOf, textOf } from '../../json-value.ts'
import { failureOf, finishOf, headOf, toolCallsOf, usageOf } from './answer.ts'
import { StopSequenceFilter } from './stop-sequence-filter.ts'

/** A stream ends with its finish reason; there is no end marker. Every event carries the usage. */
export function nativeDecoder(call: ProviderCall): EventDecoder {
  let state: StreamState | null = null
  let usage: ReportedUsage | null = null
  let isFinished = false
  let isOver = false

  const start = (json: JsonRecord): StreamState => {
    const events = new AnswerEvents(headOf(json, call))
    const tail = new StopSequenceFilter(call.request['stop'])
    return { events, tail, tools: new ToolCallEncoder(events, call.id) }
  }
  const event = (json: JsonRecord): StreamEvent[] => {
    if (isOver) return []
    const failure = failureOf(json) ?? failureOf(wrappedIn(json))
    if (failure !== null) {
      isOver = true
      return [errorEvent(failure)]
    }
    const [choice] = listOf(json['Choices'])
    usage = usageOf(json['Usage']) ?? usage
    const isFirst = state === null
    const { events, tail } = (state ??= start(json))
    const output = [
      ...(isFirst ? [events.start()] : []),
      ...contentEvents(member(choice, 'Delta'), state),
    ]
    const reason = textOf(member(choice, 'FinishReason'))
    if (reason === '' || isFinished) return [...output, ...events.usageSoFar(usage)]
    isFinished = true
    return [...output, ...textEvents(tail.end(), events), events.finish(finishOf(reason))]
  }
  const end = (): StreamEvent[] => {
    if (!isFinished || isOver || state === null) return []
    return [...(usage === null ? [] : [state.events.usage(usage)]), DONE]
  }
  return sseDecoder({ event, end })
}

type StreamState = {
  readonly events: AnswerEvents
  readonly tools: ToolCallEncoder
  readonly tail: StopSequenceFilter
}

function contentEvents(delta: unknown, { events, tools, tail }: StreamState): StreamEvent[] {
  const reasoning = textOf(member(delta, 'ReasoningContent'))
  return [
    ...(reasoning === '' ? [] : [events.reasoning(reasoning)]),
    ...textEvents(tail.push(textOf(member(delta, 'Content'))), events),
    ...toolCallsOf(delta).flatMap((piece) => tools.push(piece)),
  ]
}

const textEvents = (text: string, events: AnswerEvents) => (text === '' ? [] : [events.text(text)])

/** A failure may come wrapped like a whole answer. */
function wrappedIn({ Response: response }: JsonRecord): JsonRecord {
  return isRecord(response) ? response : {}
}
