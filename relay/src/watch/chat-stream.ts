import { jsonIn } from '../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  member,
  omit,
  parseJson,
} from '../bytes/json-value.ts'
import {
  blockData,
  EVENT_BYTES_MAX,
  isEventStreamBlock,
  isLineFeed,
  SseSplitter,
} from '../bytes/sse.ts'
import { choicesOf } from '../form/chat-chunk.ts'
import { COMMENT, type StreamEvent } from '../form/events.ts'
import { type EventShape, findText, shapeOf } from '../streams/event-shape.ts'
import { choiceText } from '../wires/openai-chat/answer-summary.ts'
import { CallIndexes } from '../wires/openai-chat/call-indexes.ts'
import { ChunkEvents } from '../wires/openai-chat/chunk-events.ts'
import { withFittingReasons } from '../wires/openai-chat/finish-reason.ts'
import type { StreamObserver } from './stream-observer.ts'

/*
 * A provider's stream of chat completions. For clients of that API its bytes pass through, for
 * others it is read as events. Most chunks carry a single token in otherwise identical bytes. Such
 * chunks are recognized by their bytes and not parsed; all others are parsed.
 */

const DONE = Buffer.from('[DONE]')
/** Larger events carry more than a token. An event within this limit is kept until the next one. */
const PLAIN_BYTES_MAX = 8 * 1024
const BLOCK_END = Buffer.from('\n\n')

type PlainEvent = { readonly block: Buffer; readonly choice: JsonRecord }

export class ChatStream {
  readonly #observer: StreamObserver
  readonly #splitter: SseSplitter
  readonly #plainBytesMax: number
  #shape: EventShape | null = null
  /**
   * The last parsed event, if it may have a shape. The shape is computed when the next event
   * arrives, so that the first token is not delayed.
   */
  #unlearntShape: PlainEvent | null = null
  #lastForwarded = true
  /** The stream has messages in place of deltas. */
  #hasMessages = false
  /** Null before the first tool call. */
  #callIndexes: CallIndexes | null = null
  /** Takes the place of the last event, which clients would misread. */
  #replacement: JsonRecord | null = null
  /** The last chunk; null if it was recognized by its bytes, or is a comment. */
  #chunk: JsonRecord | null = null
  /** Whether the last chunk was recognized by its bytes, and where its text is. */
  #isPlain = false
  readonly #textRange = { start: 0, end: 0 }
  readonly #events = new ChunkEvents()

  constructor(observer: StreamObserver, { eventBytesMax = EVENT_BYTES_MAX } = {}) {
    this.#observer = observer
    this.#splitter = new SseSplitter({ eventBytesMax })
    this.#plainBytesMax = Math.min(PLAIN_BYTES_MAX, eventBytesMax)
  }

  /** The bytes for the client. An unfinished event is held back until it is complete. */
  push(chunk: Buffer): Buffer[] {
    if (this.isDelta(chunk)) return [chunk]
    const forwarded: Buffer[] = []
    for (const block of this.#split(chunk)) {
      this.#replacement = null
      if (!isLineFeed(block)) this.#lastForwarded = this.#forwards(block)
      if (this.#lastForwarded) forwarded.push(this.#replaced(block))
    }
    return forwarded
  }

  /** Whether the client gets a chunk as it is, because it is one more plain event. */
  isDelta(chunk: Buffer): boolean {
    const { isOpen } = this.#observer
    if (!isOpen || !this.#splitter.isBetweenBlocks || !this.#matchShape(chunk)) return false
    this.#lastForwarded = true
    return true
  }

  /** Call when the upstream has ended. Returns the last event if only its blank line is missing. */
  end(): Buffer[] {
    const rest = this.#endBlock()
    if (rest === null || !this.#forwards(rest)) return []
    return this.#replacement === null ? [rest, BLOCK_END] : [this.#replaced(rest)]
  }

  /** The events for the client, in place of `push`. */
  read(chunk: Buffer): StreamEvent[] {
    if (this.isDelta(chunk)) return this.deltaEvents(chunk)
    return this.#split(chunk).flatMap((block) => (isLineFeed(block) ? [] : this.#eventsOf(block)))
  }

  /** In place of `end`. */
  readEnd(): StreamEvent[] {
    const rest = this.#endBlock()
    return rest === null ? [] : this.#eventsOf(rest)
  }

  #split(chunk: Buffer): Buffer[] {
    const blocks = this.#splitter.push(chunk)
    if (this.#splitter.overflowed) this.#observer.overflowed = true
    return blocks
  }

  #endBlock(): Buffer | null {
    const rest = this.#splitter.end()
    const data = rest.length === 0 ? null : blockData(rest)
    this.#replacement = null
    return data === null || !isWholeEvent(data) ? null : rest
  }

  #eventsOf(block: Buffer): StreamEvent[] {
    this.#replacement = null
    if (!this.#forwards(block)) return []
    if (this.#isPlain) return this.deltaEvents(block)
    return this.#chunkEvents(this.#replacement ?? this.#chunk)
  }

  /** The events of a block that `isDelta` has just recognized. */
  deltaEvents(block: Buffer): StreamEvent[] {
    const { start, end } = this.#textRange
    const event = this.#events.nextDelta(block.toString('utf8', start, end))
    return event === null ? this.#chunkEvents(readChunk(block)) : [event]
  }

  #chunkEvents(chunk: JsonRecord | null): StreamEvent[] {
    return chunk === null ? [COMMENT] : this.#events.read(chunk)
  }

  #replaced(block: Buffer): Buffer {
    const chunk = this.#replacement
    return chunk === null ? block : Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)
  }

  #forwards(block: Buffer): boolean {
    const observer = this.#observer
    if (this.#matchShape(block)) return observer.isOpen
    this.#chunk = null
    const data = blockData(block)
    if (data === null) return observer.isOpen && isEventStreamBlock(block)
    if (data.equals(DONE)) {
      observer.observeDone()
      return false
    }
    const given = jsonIn(data)
    if (!isRecord(given)) {
      observer.observeUnreadable()
      return false
    }
    const json = this.#withDeltas(given)
    this.#chunk = json
    this.#replacement = json === given ? null : json
    const wasOpen = observer.isOpen
    const isForwarded = observer.observeChunk(json)
    this.#shape = null
    if (!this.#repair(json)) this.#deferShape(block, json)
    return isForwarded && wasOpen
  }

  /**
   * Some providers send messages in place of deltas, or the whole answer again at the end
   * (Grt1228/chatgpt-java#31, smallmain/vscode-unify-chat-provider#29). The same event if it has
   * deltas.
   */
  #withDeltas(json: JsonRecord): JsonRecord {
    const choices = listOf(json['choices'])
    if (!choices.some(hasMessage)) return json
    this.#hasMessages ||= !this.#observer.hasOutput
    const changed = mapRecords(choices, (choice) => {
      if (!hasMessage(choice)) return choice
      const delta = this.#hasMessages ? choice['message'] : {}
      return { ...omit(choice, 'message'), delta }
    })
    return { ...json, choices: changed }
  }

  /** Whether the event lacked indexes of tool calls, or had a finish reason that does not fit. */
  #repair(json: JsonRecord): boolean {
    if (this.#callIndexes === null && !choicesOf(json).some(mentionsCalls))
      return this.#replacement !== null
    const calls = (this.#callIndexes ??= new CallIndexes())
    const completed = calls.complete(json)
    const fitting = withFittingReasons(completed ?? json, (choice) => calls.hasCalls(choice))
    this.#replacement = fitting ?? completed ?? this.#replacement
    return this.#replacement !== null
  }

  /** True if only the text differs from the last parsed event. The text is kept for counting. */
  #matchShape(block: Buffer): boolean {
    this.#isPlain = false
    this.#learnShape()
    if (this.#shape === null || block.length > this.#plainBytesMax) return false
    if (!findText(block, this.#shape, this.#textRange)) return false
    this.#isPlain = true
    this.#observer.observeText(block, this.#textRange)
    return true
  }

  #deferShape(block: Buffer, json: JsonRecord) {
    const [choice, ...others] = choicesOf(json)
    const isSingle = this.#observer.hasOutput && choice !== undefined && others.length === 0
    this.#unlearntShape = isSingle && block.length <= this.#plainBytesMax ? { block, choice } : null
  }

  /** Computes the shape of the last parsed event if its single text is all its output. */
  #learnShape() {
    if (this.#unlearntShape === null) return
    const { block, choice } = this.#unlearntShape
    this.#unlearntShape = null
    const shape = shapeOf(block)
    this.#shape = shape !== null && shapeHoldsText(choice, block, shape) ? shape : null
  }
}

/**
 * Whether the event's only output is the text in its shape. The event is also checked without that
 * text: the same text may stand in two members, of which only one is output.
 */
function shapeHoldsText(choice: JsonRecord, block: Buffer, shape: EventShape): boolean {
  const text = block.subarray(shape.start, shape.end)
  // An empty text does not show whether this member is the output.
  if (text.length === 0) return false
  if (parseJson(`"${text.toString()}"`) !== choiceText(choice)) return false
  const rest = blockData(Buffer.concat([block.subarray(0, shape.start), block.subarray(shape.end)]))
  return choicesOf(parseJson(rest?.toString('utf8') ?? '')).every((one) => choiceText(one) === '')
}

function readChunk(block: Buffer): JsonRecord | null {
  const json = jsonIn(blockData(block) ?? block)
  return isRecord(json) ? json : null
}

const mentionsCalls = ({ delta, finish_reason: reason }: JsonRecord) =>
  reason === 'tool_calls' || member(delta, 'tool_calls') !== undefined

const hasMessage = (choice: unknown) =>
  isRecord(member(choice, 'message')) && !isRecord(member(choice, 'delta'))

/** A truncated or corrupt event may match the shape, but is not valid JSON. */
function isWholeEvent(data: Buffer): boolean {
  return data.equals(DONE) || isRecord(jsonIn(data))
}
