import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, listOf, member, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import type { Decoded } from '../../form/answer.ts'
import {
  BLOCK_END,
  DONE,
  type EventDecoder,
  type StreamEvent,
  errorEvent,
  opaque,
} from '../../form/events.ts'
import type { Position } from '../../form/position.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import { type Delta, type EventReader, withOpaque } from '../../streams/event-reader.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { mergeReports } from '../../usage/usage.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { citationOf } from './citations.ts'
import { argumentsOf, finishReasonOf, refusalOf, usageOf } from './read-answer.ts'
import { storedThinking, thinkingBlockOf } from './write-thinking.ts'
import { answersByTool, JSON_TOOL } from './write-tools.ts'

export const decoder = (call: ProviderCall): EventDecoder => sseDecoder(new MessageReader(call))

/** Reads a whole message like a stream of its blocks. */
export function decode(body: Buffer, call: ProviderCall): Decoded {
  const message = jsonIn(body)
  if (!isRecord(message) || !Array.isArray(message['content'])) return body
  const reader = new MessageReader(call)
  const events = [
    ...reader.event({ type: 'message_start', message }),
    ...message['content'].flatMap((block: unknown, index) => [
      ...reader.event({ type: 'content_block_start', index, content_block: block }),
      ...reader.event({ type: 'content_block_stop', index }),
    ]),
    ...reader.event({ type: 'message_delta', delta: message }),
  ]
  return gathered(events) ?? body
}

/** For clients that receive the provider's own events. */
export const nativeReader = (call: ProviderCall): EventReader =>
  withOpaque(new MessageReader(call), opaqueEvents)

const BLOCKS = new Set<unknown>(['text', 'thinking', 'redacted_thinking', 'tool_use'])
const DELTAS = new Set<unknown>(['text_delta', 'thinking_delta', 'signature_delta'])
const MESSAGE_EVENTS = new Set<unknown>(['message_start', 'message_delta', 'message_stop', 'ping'])

/** Events that OpenAI's format cannot express, such as blocks of the provider's own tools. */
function opaqueEvents(json: JsonRecord): StreamEvent[] {
  const { type, content_block: block, delta } = json
  if (MESSAGE_EVENTS.has(type)) return []
  switch (type) {
    case 'content_block_start':
      return BLOCKS.has(member(block, 'type')) ? [] : [opaque()]
    case 'content_block_delta':
      if (DELTAS.has(member(delta, 'type'))) return []
      return [opaque(textOf(member(delta, 'partial_json')))]
    case 'content_block_stop':
      return [BLOCK_END]
    default:
      return [opaque()]
  }
}

type OpenBlock =
  | { readonly type: 'text'; readonly start: number; readonly citations: unknown[] }
  /** Its JSON becomes a tool call, or text if the answer is made by a tool (`position` is null). */
  | { readonly type: 'tool'; readonly position: number | null; input: string; hasPieces: boolean }
  | { readonly type: 'thought'; readonly block: Record<string, unknown>; readonly after: Position }

class MessageReader implements EventReader {
  readonly #call: ProviderCall
  readonly #jsonTool: string | null
  readonly #open = new Map<unknown, OpenBlock>()
  /** The block of the last delta. */
  #block: OpenBlock | undefined
  #events: AnswerEvents | null = null
  #usage: JsonRecord = {}
  #textLength = 0
  #toolCount = 0
  #isFinished = false
  #isOver = false

  constructor(call: ProviderCall) {
    this.#call = call
    this.#jsonTool = answersByTool(call) ? JSON_TOOL : null
  }

  event(json: JsonRecord): StreamEvent[] {
    if (this.#isOver) return []
    if (json['type'] === 'error') {
      this.#isOver = true
      return [errorEvent(json)]
    }
    if (json['type'] === 'message_start') return this.#begin(json['message'])
    const events = this.#events
    if (events === null) return []
    switch (json['type']) {
      case 'content_block_start':
        return this.#openBlock(events, json['index'], json['content_block'])
      case 'content_block_delta':
        return this.#continueBlock(events, json['index'], json['delta'])
      case 'content_block_stop':
        return this.#closeBlock(events, json['index'])
      case 'message_delta':
        return this.#finish(events, json)
      case 'message_stop':
        this.#isOver = true
        return [DONE]
      default:
        return []
    }
  }

  onDelta(delta: Delta, { type }: StreamEvent) {
    if (type === 'text') this.#textLength += delta.length
    else if (type === 'reasoning') this.#addThinking(textOf(delta))
  }

  /** Some proxies send `message_start` again in the middle of a stream. */
  #begin(message: unknown): StreamEvent[] {
    if (this.#events !== null) return []
    this.#events = answerEvents(this.#call, {
      id: member(message, 'id'),
      model: member(message, 'model'),
    })
    this.#noteUsage(member(message, 'usage'))
    return [this.#events.start(), ...this.#events.usageSoFar(usageOf(this.#usage))]
  }

  #openBlock(events: AnswerEvents, index: unknown, block: unknown): StreamEvent[] {
    switch (member(block, 'type')) {
      case 'text':
        this.#open.set(index, {
          type: 'text',
          start: this.#textLength,
          citations: [...listOf(member(block, 'citations'))],
        })
        return this.#text(events, textOf(member(block, 'text')))
      case 'tool_use':
        return this.#openTool(events, index, block)
      case 'thinking':
      case 'redacted_thinking': {
        const after = { text: this.#textLength, toolCalls: this.#toolCount }
        this.#open.set(index, {
          type: 'thought',
          block: isRecord(block) ? { ...block } : {},
          after,
        })
        return reasoning(events, textOf(member(block, 'thinking')))
      }
      default:
        return []
    }
  }

  #openTool(events: AnswerEvents, index: unknown, block: unknown): StreamEvent[] {
    const name = textOf(member(block, 'name'))
    const input = argumentsOf(block)
    const position = name === this.#jsonTool ? null : this.#toolCount
    this.#open.set(index, { type: 'tool', position, input, hasPieces: false })
    if (position === null) return []
    this.#toolCount += 1
    const id = textOf(member(block, 'id')) || `${this.#call.id}-${position}`
    return [events.toolCall(position, { id, name, input: '' })]
  }

  #continueBlock(events: AnswerEvents, index: unknown, delta: unknown): StreamEvent[] {
    const open = this.#open.get(index)
    this.#block = open
    switch (member(delta, 'type')) {
      case 'text_delta':
        return this.#text(events, textOf(member(delta, 'text')))
      case 'input_json_delta': {
        const piece = textOf(member(delta, 'partial_json'))
        if (open?.type !== 'tool' || piece === '') return []
        open.hasPieces = true
        return this.#toolPiece(events, open.position, piece)
      }
      case 'thinking_delta': {
        const piece = textOf(member(delta, 'thinking'))
        this.#addThinking(piece)
        return reasoning(events, piece)
      }
      case 'citations_delta':
        if (open?.type === 'text') open.citations.push(member(delta, 'citation'))
        return []
      case 'signature_delta': {
        const signature = textOf(member(delta, 'signature'))
        if (open?.type === 'thought') open.block['signature'] = signature
        return []
      }
      default:
        return []
    }
  }

  #addThinking(piece: string) {
    if (this.#block?.type !== 'thought') return
    const { block } = this.#block
    block['thinking'] = textOf(block['thinking']) + piece
  }

  #closeBlock(events: AnswerEvents, index: unknown): StreamEvent[] {
    const open = this.#open.get(index)
    this.#open.delete(index)
    if (open?.type === 'tool' && !open.hasPieces) {
      return this.#toolPiece(events, open.position, open.input)
    }
    if (open?.type === 'text') {
      const place = { start: open.start, end: this.#textLength }
      return events.citations(open.citations.flatMap((given) => citationOf(given, place)))
    }
    const thinkingBlock = open?.type === 'thought' ? thinkingBlockOf(open.block) : null
    if (open?.type !== 'thought' || thinkingBlock === null) return []
    const stored = storedThinking(thinkingBlock, this.#call.model, open.after)
    return [events.seal('thinking_block', stored)]
  }

  #toolPiece(events: AnswerEvents, position: number | null, piece: string): StreamEvent[] {
    return position === null ? this.#text(events, piece) : [events.toolInput(position, piece)]
  }

  #text(events: AnswerEvents, text: string): StreamEvent[] {
    this.#textLength += text.length
    return text === '' ? [] : [events.text(text)]
  }

  #finish(events: AnswerEvents, { delta, usage }: JsonRecord): StreamEvent[] {
    this.#noteUsage(usage)
    const hasReason = textOf(member(delta, 'stop_reason')) !== ''
    if (this.#isFinished || !hasReason) return []
    this.#isFinished = true
    const refusal = refusalOf(delta)
    const total = usageOf(this.#usage)
    return [
      ...(refusal === null ? [] : [events.refusal(refusal)]),
      events.finish(finishReasonOf(delta, this.#toolCount > 0)),
      ...(total === null ? [] : [events.usage(total)]),
    ]
  }

  #noteUsage(usage: unknown): void {
    if (isRecord(usage)) this.#usage = mergeReports(this.#usage, usage)
  }
}

const reasoning = (events: AnswerEvents, text: string): StreamEvent[] =>
  text === '' ? [] : [events.reasoning(text)]
