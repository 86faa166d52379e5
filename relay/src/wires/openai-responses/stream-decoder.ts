import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  stringifyOrEmpty,
  textOf,
} from '../../bytes/json-value.ts'
import { storedReasoning } from '../../fit/stored-reasoning.ts'
import type { Decoded } from '../../form/answer.ts'
import {
  BLOCK_END,
  DONE,
  type EventDecoder,
  type StreamEvent,
  errorEvent,
  opaque,
} from '../../form/events.ts'
import { PARAGRAPH } from '../../form/request.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import { type Delta, type EventReader, withOpaque } from '../../streams/event-reader.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { citationsInItem } from '../annotations.ts'
import type { ProviderCall } from '../provider-codec.ts'
import {
  callIn,
  failureOf,
  finishReasonOf,
  logprobsIn,
  reasoningIn,
  refusalIn,
  textIn,
  usageOf,
} from './read-output.ts'

export const decoder = (call: ProviderCall): EventDecoder => sseDecoder(new ResponseReader(call))

/** Reads a whole response like the last event of a stream. */
export function decode(body: Buffer, call: ProviderCall): Decoded {
  const response = jsonIn(body)
  if (!isRecord(response) || !Array.isArray(response['output'])) return body
  const failure = failureOf(response)
  if (failure !== null) return Buffer.from(stringifyOrEmpty({ error: failure }))
  return gathered(new ResponseReader(call).event({ type: 'response.completed', response })) ?? body
}

/** For clients that receive the provider's own events. */
export const nativeReader = (call: ProviderCall): EventReader =>
  withOpaque(new ResponseReader(call), opaqueEvents)

const READ_ITEMS = new Set<unknown>(['message', 'reasoning', 'function_call', 'custom_tool_call'])
/** Events of the items that are read. */
const READ_EVENTS =
  /^response\.(?:content_part|output_text|refusal|reasoning_\w+|function_call_arguments|custom_tool_call_input)\./

/** Items that OpenAI's format cannot express, such as calls of tools that the provider runs. */
function opaqueEvents({ type, item, output_index: index, delta }: JsonRecord): StreamEvent[] {
  if (type === 'response.output_item.done') return [BLOCK_END]
  if (type === 'response.output_item.added') {
    return READ_ITEMS.has(member(item, 'type')) ? [] : [opaque()]
  }
  if (index === undefined || READ_EVENTS.test(textOf(type))) return []
  return [opaque(textOf(delta))]
}

type OpenItem = {
  /** Characters emitted so far of its text, its reasoning or its input. */
  emitted: number
  refused: number
  isDone: boolean
  /** The index of a call among the calls; null for other items. */
  position: number | null
  isCustom: boolean
  /** The kind of reasoning that came first. An item may have both kinds. */
  reasoning: string | null
}

/** Events that only repeat what others say, at the beginning of a block. */
const REPEATS =
  /^(?:event: [\w.]+\n)?data: \{"type":"response\.(?:in_progress|content_part\.\w+|output_text\.done)"/
const REPEATS_BYTES = 128

class ResponseReader implements EventReader {
  readonly #call: ProviderCall
  /** By index in the output and by id, since some providers leave out the index. */
  readonly #items = new Map<unknown, OpenItem>()
  /** The item of the last delta. */
  #item: OpenItem | null = null
  /** Finished items, for events of the end that do not repeat them. */
  readonly #done: unknown[] = []
  #events: AnswerEvents | null = null
  #textLength = 0
  #callCount = 0
  /** The summary part or reasoning part of the last delta; null before the first. */
  #reasoningPart: string | null = null
  #isOver = false

  constructor(call: ProviderCall) {
    this.#call = call
  }

  event(json: JsonRecord): StreamEvent[] {
    if (this.#isOver) return []
    const { type, response } = json
    if (type === 'error') return this.#fail(isRecord(json['error']) ? json : errorIn(json))
    if (isRecord(response)) return this.#readState(type, response)
    const key = json['output_index'] ?? json['item_id'] ?? member(json['item'], 'id')
    if (key === undefined) return []
    const [before, events] = this.#begin({})
    return [...before, ...this.#readItemEvent(events, key, json)]
  }

  skips(block: Buffer): boolean {
    return this.#events !== null && REPEATS.test(block.toString('latin1', 0, REPEATS_BYTES))
  }

  onDelta({ length }: Delta, event: StreamEvent) {
    if (this.#item !== null) this.#item.emitted += length
    if (event.type === 'text') this.#textLength += length
  }

  /** Events with the whole response: its beginning, and its end. */
  #readState(type: unknown, response: JsonRecord): StreamEvent[] {
    switch (type) {
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(response)
      case 'response.failed': {
        const [before, events] = this.#begin(response)
        const failure = failureOf(response) ?? { code: 'server_error', message: '' }
        return [...before, ...events.usageSoFar(usageOf(response)), ...this.#fail(failure)]
      }
      default:
        return this.#begin(response)[0]
    }
  }

  #fail(error: JsonRecord): StreamEvent[] {
    this.#isOver = true
    return [errorEvent(error)]
  }

  #begin(response: JsonRecord): [StreamEvent[], AnswerEvents] {
    if (this.#events !== null) return [[], this.#events]
    const { id, created_at: created, model } = response
    const events = answerEvents(this.#call, { id, created, model })
    this.#events = events
    return [[events.start()], events]
  }

  #readItemEvent(events: AnswerEvents, key: unknown, json: JsonRecord): StreamEvent[] {
    const { type, item } = json
    const delta = textOf(json['delta'])
    switch (type) {
      case 'response.output_item.added':
        return this.#open(events, key, item)
      case 'response.output_item.done':
        this.#done.push(item)
        return this.#close(events, key, item)
      case 'response.output_text.delta':
        return this.#text(events, this.#itemAt(key), delta, logprobsIn(json))
      case 'response.refusal.delta':
        return this.#refusal(events, this.#itemAt(key), delta)
      case 'response.reasoning_summary_text.delta':
        return this.#reasoning(events, key, { delta, kind: 'summary', part: json['summary_index'] })
      case 'response.reasoning_text.delta':
        return this.#reasoning(events, key, { delta, kind: 'text', part: json['content_index'] })
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#input(events, this.#itemAt(key), delta)
      default:
        return []
    }
  }

  #itemAt(key: unknown): OpenItem {
    const item = this.#items.get(key) ?? newItem()
    this.#items.set(key, item)
    this.#item = item
    return item
  }

  #open(events: AnswerEvents, key: unknown, given: unknown): StreamEvent[] {
    const item = this.#itemAt(key)
    const id = member(given, 'id')
    if (typeof id === 'string') this.#items.set(id, item)
    const call = callIn(given)
    if (call === null || item.position !== null) return []
    const position = this.#callCount
    this.#callCount += 1
    Object.assign(item, { position, isCustom: call.isCustom, emitted: call.input.length })
    const callId = call.id || `${this.#call.id}-${position}`
    return [events.toolCall(position, { ...call, id: callId })]
  }

  /** Emits what no delta has brought: some providers send whole items only. */
  #close(events: AnswerEvents, key: unknown, given: unknown): StreamEvent[] {
    const opened = this.#open(events, key, given)
    const item = this.#itemAt(key)
    if (item.isDone) return opened
    item.isDone = true
    switch (member(given, 'type')) {
      case 'message': {
        const tokens = listOf(member(given, 'content')).flatMap(logprobsIn)
        const logprobs = item.emitted === 0 ? tokens : []
        const text = textIn(given)
        return [
          ...this.#text(events, item, text.slice(item.emitted), logprobs),
          ...this.#refusal(events, item, refusalIn(given).slice(item.refused)),
          ...events.citations(citationsInItem(given, this.#textLength - text.length)),
        ]
      }
      case 'reasoning': {
        const delta = item.emitted === 0 ? reasoningIn(given) : ''
        const after = { text: this.#textLength, toolCalls: this.#callCount }
        const stored = storedReasoning(given, this.#call.model, after)
        return [
          ...this.#reasoning(events, key, { delta, kind: 'whole', part: 0 }),
          ...(stored === null ? [] : [events.seal('reasoning_detail', stored)]),
        ]
      }
      default: {
        const rest = callIn(given)?.input.slice(item.emitted) ?? ''
        return [...opened, ...this.#input(events, item, rest)]
      }
    }
  }

  #text(events: AnswerEvents, item: OpenItem, delta: string, logprobs: unknown[]): StreamEvent[] {
    if (delta === '') return []
    const text = item.emitted === 0 && this.#textLength > 0 ? PARAGRAPH + delta : delta
    item.emitted += delta.length
    this.#textLength += text.length
    return [events.text(text, 0, logprobs.length === 0 ? undefined : { content: logprobs })]
  }

  #refusal(events: AnswerEvents, item: OpenItem, delta: string): StreamEvent[] {
    item.refused += delta.length
    return delta === '' ? [] : [events.refusal(delta)]
  }

  #reasoning(
    events: AnswerEvents,
    key: unknown,
    { delta, kind, part }: { delta: string; kind: string; part: unknown },
  ): StreamEvent[] {
    const item = this.#itemAt(key)
    item.reasoning ??= kind
    if (delta === '' || item.reasoning !== kind) return []
    item.emitted += delta.length
    const partKey = JSON.stringify([key, part])
    const isNext = this.#reasoningPart !== null && this.#reasoningPart !== partKey
    this.#reasoningPart = partKey
    return [events.reasoning(isNext ? PARAGRAPH + delta : delta)]
  }

  #input(events: AnswerEvents, item: OpenItem, delta: string): StreamEvent[] {
    const { position } = item
    if (delta === '' || position === null) return []
    item.emitted += delta.length
    return [events.toolInput(position, delta, 0, item.isCustom)]
  }

  #finish(response: JsonRecord): StreamEvent[] {
    const [before, events] = this.#begin(response)
    // xAI's pages have clients read the items of the last event.
    const missing = listOf(response['output']).flatMap((item, index) => {
      const key = this.#items.has(member(item, 'id')) ? member(item, 'id') : index
      return this.#close(events, key, item)
    })
    this.#isOver = true
    const output = listOf(response['output'])
    const usage = usageOf(response, output.length === 0 ? this.#done : output)
    return [
      ...before,
      ...missing,
      events.finish(finishReasonOf(response, this.#callCount > 0)),
      ...(usage === null ? [] : [events.usage(usage)]),
      DONE,
    ]
  }
}

const newItem = (): OpenItem => ({
  emitted: 0,
  refused: 0,
  isDone: false,
  position: null,
  isCustom: false,
  reasoning: null,
})

/** The error is the event itself. */
const errorIn = ({ code, message, param }: JsonRecord): JsonRecord => ({ code, message, param })
