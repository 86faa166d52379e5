import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  member,
  listOf,
  textOf,
  numberOrZero,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { ReportedUsage, Decoded, FinishReason } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import type { JsonReader } from '../../streams/event-reader.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { ToolCallEncoder, type ProviderToolCall } from '../../streams/tool-call-encoder.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'
import { StopSequenceFilter } from './stop-sequence-filter.ts'

export const nativeDecoder = (call: ProviderCall): EventDecoder => sseDecoder(nativeReader(call))

/**
 * Reads a whole answer like the only event of a stream. Returns failures unchanged, or their
 * `Response.Error` as an error.
 */
export function decodeAnswer(body: Buffer, call: ProviderCall): Decoded | Steps<Decoded> {
  const response = member(jsonIn(body), 'Response')
  if (!isRecord(response)) return body
  const failure = failureOf(response)
  if (failure !== null) return Buffer.from(JSON.stringify({ error: failure }))
  if (call.endpoint === 'embeddings') return decodeEmbeddings(response, call) ?? body
  const choices = listOf(response['Choices']).filter(isRecord)
  if (choices.length === 0) return body
  const reader = nativeReader(call)
  const whole = choices.map((choice) => ({ ...choice, Delta: choice['Message'] }))
  return gathered([...reader.event({ ...response, Choices: whole }), ...reader.end()]) ?? body
}

/** A stream ends with its finish reason; there is no end marker. Every event carries the usage. */
function nativeReader(call: ProviderCall): Required<JsonReader<StreamEvent>> {
  let state: StreamState | null = null
  let usage: ReportedUsage | null = null
  let isFinished = false
  let isOver = false

  const start = (json: JsonRecord): StreamState => {
    const events = answerEvents(call, { id: json['Id'], created: json['Created'] })
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
    return [...output, ...events.output(tail.end(), ''), events.finish(finishOf(reason))]
  }
  const end = (): StreamEvent[] => {
    if (!isFinished || isOver || state === null) return []
    return [...(usage === null ? [] : [state.events.usage(usage)]), DONE]
  }
  return { event, end }
}

type StreamState = {
  readonly events: AnswerEvents
  readonly tools: ToolCallEncoder
  readonly tail: StopSequenceFilter
}

function contentEvents(delta: unknown, { events, tools, tail }: StreamState): StreamEvent[] {
  const reasoning = textOf(member(delta, 'ReasoningContent'))
  return [
    ...events.output(tail.push(textOf(member(delta, 'Content'))), reasoning),
    ...toolCallsOf(delta).flatMap((piece) => tools.push(piece)),
  ]
}

/** A failure may come wrapped like a whole answer. */
function wrappedIn({ Response: response }: JsonRecord): JsonRecord {
  return isRecord(response) ? response : {}
}

function decodeEmbeddings(response: JsonRecord, call: ProviderCall): Steps<Buffer> | null {
  const data = listOf(response['Data'])
  if (data.length === 0) return null
  const vectors = data.map((item) => member(item, 'Embedding'))
  return embeddingsAnswer(call, vectors, member(response['Usage'], 'PromptTokens'))
}

function failureOf(response: JsonRecord): JsonRecord | null {
  const { ErrorMsg: errorMsg, Error: error } = response
  if (isRecord(error)) return { code: error['Code'], message: error['Message'] }
  const isFailure =
    isRecord(errorMsg) && (numberOrZero(errorMsg['Code']) !== 0 || textOf(errorMsg['Msg']) !== '')
  return isFailure
    ? { code: `tencent:${numberOrZero(errorMsg['Code'])}`, message: errorMsg['Msg'] }
    : null
}

const toolCallsOf = (message: unknown): ProviderToolCall[] =>
  listOf(member(message, 'ToolCalls')).map((call) => ({
    id: textOf(member(call, 'Id')),
    index: member(call, 'Index'),
    name: textOf(member(member(call, 'Function'), 'Name')),
    arguments: textOf(member(member(call, 'Function'), 'Arguments')),
  }))

function finishOf(reason: string): FinishReason {
  switch (reason) {
    case 'length':
    case 'tool_calls':
      return reason
    case 'sensitive':
      return 'content_filter'
    default:
      return 'stop'
  }
}

function usageOf(usage: unknown): ReportedUsage | null {
  if (!isRecord(usage)) return null
  return {
    promptTokens: numberOrZero(usage['PromptTokens']),
    completionTokens: numberOrZero(usage['CompletionTokens']),
    cachedTokens: numberOrZero(member(usage['PromptTokensDetails'], 'CachedTokens')),
  }
}
