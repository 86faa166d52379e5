import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  member,
  textOf,
  listOf,
  numberOrZero,
  isPresent,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { FinishReason, ReportedUsage, Decoded } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import type { JsonReader } from '../../streams/event-reader.ts'
import { FinishReasonFilter } from '../../streams/finish-reason-filter.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { ToolCallEncoder, type ProviderToolCall } from '../../streams/tool-call-encoder.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

export const dashscopeDecoder = (call: ProviderCall): EventDecoder =>
  sseDecoder(dashscopeReader(call))

/** Reads a whole answer like the only event of a stream. */
export function decodeAnswer(body: Buffer, call: ProviderCall): Decoded | Steps<Decoded> {
  const json = jsonIn(body)
  if (!isRecord(json)) return body
  if (call.endpoint === 'embeddings') return decodeEmbeddings(json, call) ?? body
  if (choicesOf(json).length === 0) return body
  const reader = dashscopeReader(call)
  return gathered([...reader.event(json), ...reader.end()]) ?? body
}

/**
 * A stream ends when all its choices have a finish reason; there is no end marker. Every event
 * carries the usage.
 */
function dashscopeReader(call: ProviderCall): Required<JsonReader<StreamEvent>> {
  const encoders = new Map<number, ChoiceEncoder>()
  let events: AnswerEvents | null = null
  let usage: ReportedUsage | null = null
  let isOver = false

  const event = (json: JsonRecord): StreamEvent[] => {
    if (isOver) return []
    const choices = choicesOf(json)
    if (choices.length === 0 && textOf(json['code']) !== '') {
      isOver = true
      return [errorEvent(json)]
    }
    usage = usageOf(json['usage']) ?? usage
    const writer = (events ??= answerEvents(call, { id: json['request_id'] }))
    const contentEvents = choices.flatMap((choice, position) => {
      const index = indexOf(choice, position)
      const known = encoders.get(index)
      const encoder = known ?? new ChoiceEncoder(writer, index, call.id)
      if (known === undefined) encoders.set(index, encoder)
      return encoder.write(choice)
    })
    return [...contentEvents, ...writer.usageSoFar(usage)]
  }
  const end = (): StreamEvent[] => {
    const requestedChoices = typeof call.request['n'] === 'number' ? call.request['n'] : 1
    const all = [...encoders.values()]
    const finished = all.filter(({ isFinished }) => isFinished).length
    if (isOver || events === null || finished < requestedChoices) return []
    const reported = usage === null ? [] : [events.usage(usage)]
    return [...all.flatMap((encoder) => encoder.end()), ...reported, DONE]
  }
  return { event, end }
}

function indexOf(choice: unknown, position: number): number {
  const index = member(choice, 'index')
  return typeof index === 'number' ? index : position
}

class ChoiceEncoder {
  readonly #events: AnswerEvents
  readonly #index: number
  readonly #tools: ToolCallEncoder
  readonly #reason = new FinishReasonFilter()
  #hasStarted = false

  constructor(events: AnswerEvents, index: number, callId: string) {
    this.#events = events
    this.#index = index
    this.#tools = new ToolCallEncoder(events, `${callId}-${index}`, index)
  }

  get isFinished(): boolean {
    return this.#reason.hasReason
  }

  write(choice: unknown): StreamEvent[] {
    const contentEvents = this.#contentEvents(choice)
    if (contentEvents.length > 0) this.#reason.noteContent()
    const finishReason = finishOf(member(choice, 'finish_reason'))
    const reason = finishReason && this.#reason.accept(finishReason)
    return [...this.#roleEvent(), ...contentEvents, ...this.#finish(reason)]
  }

  end(): StreamEvent[] {
    return this.#finish(this.#reason.end())
  }

  #finish(reason: FinishReason | null): StreamEvent[] {
    return reason === null ? [] : [this.#events.finish(reason, this.#index)]
  }

  #roleEvent(): StreamEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [this.#events.start(this.#index)]
  }

  #contentEvents(choice: unknown): StreamEvent[] {
    const message = member(choice, 'message')
    const reasoning = textOf(member(message, 'reasoning_content'))
    const logprobs = member(choice, 'logprobs') ?? undefined
    return [
      ...this.#events.output(messageText(message), reasoning, this.#index, logprobs),
      ...toolCallsOf(message).flatMap((piece) => this.#tools.push(piece)),
    ]
  }
}

function decodeEmbeddings(json: JsonRecord, call: ProviderCall): Steps<Buffer> | null {
  const embeddings = listOf(member(json['output'], 'embeddings'))
  if (embeddings.length === 0) return null
  const place = (item: unknown) => numberOrZero(member(item, 'text_index'))
  const vectors = embeddings
    .toSorted((a, b) => place(a) - place(b))
    .map((item) => member(item, 'embedding'))
  return embeddingsAnswer(call, vectors, member(json['usage'], 'total_tokens'))
}

/** Older models put their only choice directly into the output. */
function choicesOf({ output }: JsonRecord): readonly unknown[] {
  if (Array.isArray(member(output, 'choices'))) return listOf(member(output, 'choices'))
  const content = member(output, 'text')
  if (!isPresent(content)) return []
  return [{ message: { content }, finish_reason: member(output, 'finish_reason') }]
}

/** Vision models answer with a list of parts. */
function messageText(message: unknown): string {
  const content = member(message, 'content')
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part) => textOf(member(part, 'text'))).join('')
}

const toolCallsOf = (message: unknown): ProviderToolCall[] =>
  listOf(member(message, 'tool_calls')).map((call) => ({
    id: textOf(member(call, 'id')),
    index: member(call, 'index'),
    name: textOf(member(member(call, 'function'), 'name')),
    arguments: textOf(member(member(call, 'function'), 'arguments')),
  }))

/** Null while a choice is unfinished, which DashScope writes as `"null"`. */
function finishOf(reason: unknown): FinishReason | null {
  switch (reason) {
    case undefined:
    case null:
    case '':
    case 'null':
      return null
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return reason
    default:
      return 'stop'
  }
}

function usageOf(usage: unknown): ReportedUsage | null {
  if (!isRecord(usage)) return null
  const { prompt_tokens_details: promptDetails, output_tokens_details: outputDetails } = usage
  return {
    promptTokens: numberOrZero(usage['input_tokens']),
    completionTokens: numberOrZero(usage['output_tokens']),
    cachedTokens: numberOrZero(member(promptDetails, 'cached_tokens')),
    cacheWriteTokens: numberOrZero(member(promptDetails, 'cache_creation_input_tokens')),
    reasoningTokens: numberOrZero(member(outputDetails, 'reasoning_tokens')),
  }
}
