import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, member, listOf, textOf } from '../../bytes/json-value.ts'
import type { ReportedUsage, FinishReason } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent } from '../../form/events.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import { parseUsage } from '../../usage/usage.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

/**
 * Chunks have OpenAI's format. The last chunk repeats the whole message and has the usage. A stream
 * has ended in order once it has given a finish reason.
 */
export function chatDecoder(call: ProviderCall): EventDecoder {
  let chunks: ChunkReader | null = null
  let isOver = false
  const read = (json: JsonRecord): StreamEvent[] => {
    if (isOver) return []
    isOver = isFailure(json) || Boolean(json['error'])
    if (isOver) return [failureOf(json)]
    chunks ??= new ChunkReader(json, call)
    return chunks.read(json)
  }
  const end = () => (isOver || chunks?.hasFinished !== true ? [] : [...chunks.end(), DONE])
  return sseDecoder({ event: read, end })
}

/** Uses the members of a whole answer, so that failures are classified alike. */
function failureOf(json: JsonRecord): StreamEvent {
  const { base_resp: baseResp } = json
  return errorEvent('error' in json ? json : { error: baseResp, base_resp: baseResp })
}

class ChunkReader {
  hasFinished = false
  readonly #events: AnswerEvents
  readonly #callId: string
  readonly #toolCalls = new Set<number>()
  #hasStarted = false
  #usage: ReportedUsage | null = null

  constructor(json: JsonRecord, call: ProviderCall) {
    this.#callId = call.id
    this.#events = answerEvents(call, json)
  }

  read(json: JsonRecord): StreamEvent[] {
    this.#usage = parseUsage(json['usage']) ?? this.#usage
    const choice = listOf(json['choices']).find(isRecord)
    if (choice === undefined || this.hasFinished) return []
    const delta = choice['delta'] ?? (this.#hasStarted ? undefined : choice['message'])
    const contentEvents = this.#deltaEvents(delta)
    const reason = choice['finish_reason']
    this.hasFinished = typeof reason === 'string' && reason !== ''
    return this.hasFinished
      ? [...contentEvents, this.#events.finish(finishOf(choice, json))]
      : contentEvents
  }

  end(): StreamEvent[] {
    return this.#usage === null ? [] : [this.#events.usage(this.#usage)]
  }

  #deltaEvents(delta: unknown): StreamEvent[] {
    if (!isRecord(delta)) return []
    const first = this.#hasStarted ? [] : [this.#events.start()]
    this.#hasStarted = true
    return [
      ...first,
      ...this.#events.output(textOf(delta['content']), reasoningOf(delta)),
      ...listOf(delta['tool_calls']).map((call, index) => this.#toolCallEvent(call, index)),
    ]
  }

  /** The start of a tool call, or a further piece of its arguments. */
  #toolCallEvent(call: unknown, place: number): StreamEvent {
    const index = member(call, 'index')
    const position = typeof index === 'number' ? index : place
    const named = member(call, 'function')
    const piece = textOf(member(named, 'arguments'))
    if (this.#toolCalls.has(position)) return this.#events.toolInput(position, piece)
    this.#toolCalls.add(position)
    const id = textOf(member(call, 'id')) || `${this.#callId}-${position}`
    const name = textOf(member(named, 'name'))
    return this.#events.toolCall(position, { id, name, input: piece })
  }
}

/** MiniMax has status codes of its own; 0 means success. */
export const isFailure = (json: JsonRecord) => {
  const code = member(json['base_resp'], 'status_code')
  return typeof code === 'number' && code !== 0
}

/** Returns answers that need no change, and failures, unchanged. */
export function decodeChat(body: Buffer): Buffer {
  const json = jsonIn(body)
  if (!isRecord(json) || isFailure(json) || !Array.isArray(json['choices'])) return body
  const choices = json['choices'].map((choice: unknown) => {
    if (!isRecord(choice) || !isRecord(choice['message'])) return choice
    const { message } = choice
    const reasoning = reasoningOf(message)
    return {
      ...choice,
      message: reasoning === '' ? message : { ...message, reasoning_content: reasoning },
      finish_reason: finishOf(choice, json),
    }
  })
  return Buffer.from(JSON.stringify({ ...json, choices }))
}

/** Newer models report reasoning in pieces with details. */
function reasoningOf(message: unknown): string {
  const text = textOf(member(message, 'reasoning_content'))
  if (text !== '') return text
  const details = listOf(member(message, 'reasoning_details'))
  return details.map((detail) => textOf(member(detail, 'text'))).join('')
}

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
])

function finishOf(choice: JsonRecord, answer: JsonRecord): FinishReason {
  if (answer['output_sensitive'] === true) return 'content_filter'
  return FINISH_REASONS.get(choice['finish_reason']) ?? 'stop'
}
