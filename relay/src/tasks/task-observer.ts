import { ByteCollector } from '../bytes/byte-collector.ts'
import { jsonIn } from '../bytes/json-parse.ts'
import { isRecord, type JsonRecord, textOf, stringifyOrEmpty } from '../bytes/json-value.ts'
import { blockData, SseSplitter } from '../bytes/sse.ts'
import type { StreamHead } from '../form/events.ts'
import type { AnswerForm } from '../usage/answer-summary.ts'
import { sumOf, type Usage } from '../usage/usage.ts'
import type { StreamObserver } from '../watch/stream-observer.ts'
import { reportedError } from '../wires/openai-chat/answer-summary.ts'

const KEPT_BYTES_MAX = 64 * 1024 * 1024
/** In characters of JSON. A longer usage of a piece is not kept. */
const USAGE_LENGTH_MAX = 2000
const LINE_FEED = 0x0a

/**
 * An answer of `count` pieces. Each piece ends with a last event that reports the usage of that
 * piece.
 */
type Items = {
  readonly count: number
  /**
   * Types of events that show the progress of the next piece; each piece has `partsPerItem` of
   * them.
   */
  readonly partTypes: readonly string[]
  readonly partsPerItem: number
  /** An event that delivers nothing is not counted. */
  readonly hasContent: (event: JsonRecord) => boolean
}

type EventFormat = {
  /** The types of the events that end an answer. */
  readonly finalTypes: readonly string[]
  readonly readUsage: (usage: unknown) => Usage | null
  /**
   * For such answers only the type and usage of events are kept, which suffice to measure them. One
   * piece may be as large as `BUFFER_BYTES_MAX`.
   */
  readonly items?: Items
  /**
   * Converts a provider's event to OpenAI's format. Must return the same object if nothing changes.
   */
  readonly translate?: (event: JsonRecord) => JsonRecord
}

export type AnswerObserver = StreamObserver | TaskObserver

/**
 * Observes an answer that is not a chat stream: audio as bytes, or events whose last one reports
 * the usage. It has every member of `StreamObserver`, which documents them. The answer is kept, to
 * be measured at its end.
 */
export class TaskObserver {
  /** The provider's content type. It selects one of the gateway's own for the client. */
  readonly contentType: string
  readonly done = false
  readonly isEmpty = false
  readonly hasSpeech = false
  readonly outputBytes = 0
  readonly model = null
  readonly served = undefined
  readonly withheldUsage = null
  readonly outputFollowedUsage = false
  readonly usageInStandardField = true
  readonly head: StreamHead = { id: undefined, created: undefined }
  readonly #events: EventFormat | null
  readonly #splitter = new SseSplitter()
  readonly #kept = new ByteCollector()
  /** Whether the bytes look like JSON or HTML; null before the first bytes. */
  #isText: boolean | null = null
  #started = false
  #finished = false
  #error: JsonRecord | null = null
  #usage: Usage | null = null
  #lastCount = 0
  #partCount = 0
  #eventCount = 0

  /** `events` is null for bytes, which end when the connection ends. */
  constructor(contentType: string, events: EventFormat | null) {
    this.contentType = contentType
    this.#events = events
  }

  get isBytes(): boolean {
    return this.#events === null
  }

  get form(): AnswerForm {
    return this.isBytes ? 'media' : 'events'
  }

  /** Whether an end here is no failure. Some of several pieces may not have been made. */
  get canEnd(): boolean {
    return this.isBytes || this.#lastCount > 0
  }

  get started(): boolean {
    return this.#started
  }

  get hasOutput(): boolean {
    return this.#started
  }

  get finished(): boolean {
    return this.#finished
  }

  get isComplete(): boolean {
    return this.#finished
  }

  get error(): JsonRecord | null {
    return this.#error
  }

  get overflowed(): boolean {
    return this.#splitter.overflowed || this.#kept.size > KEPT_BYTES_MAX
  }

  /**
   * Null while a piece is unfinished, because its cost was not reported. All pieces are measured
   * then.
   */
  get usage(): Usage | null {
    const { finalTypes: last, items } = this.#events ?? {}
    if (last === undefined || items === undefined) return this.#usage
    return openParts(eventsIn(this.bytes) ?? [], last, items) > 0 ? null : this.#usage
  }

  get eventCount(): number {
    return this.#eventCount
  }

  get deltaCount(): number {
    return this.#eventCount
  }

  /** The answer so far; for pieces, only type and usage of their events. */
  get bytes(): Buffer {
    return this.#kept.bytes()
  }

  plainText(): null {
    return null
  }

  outputTextForCounting() {
    return { text: '', tokensBeyond: 0 }
  }

  push(chunk: Buffer): Buffer[] {
    const forwarded = this.isBytes
      ? this.#forwardBytes(chunk)
      : this.#splitter.push(chunk).flatMap((block) => this.#forward(block))
    if (this.#events?.items === undefined) for (const block of forwarded) this.#kept.add(block)
    return this.overflowed ? [] : forwarded
  }

  end(): Buffer[] {
    const rest = this.isBytes ? Buffer.alloc(0) : this.#splitter.end()
    if (rest.length === 0 || blockData(rest) === null) return []
    const forwarded = this.#forward(rest)
    if (this.#events?.items === undefined) for (const block of forwarded) this.#kept.add(block)
    return forwarded.length === 0 ? [] : [...forwarded, Buffer.from('\n\n')]
  }

  /**
   * Bytes that start like JSON or HTML are not audio, whatever the header says. They are read as a
   * failure.
   */
  #forwardBytes(chunk: Buffer): Buffer[] {
    if (chunk.length === 0) return []
    this.#isText ??= !/\bpcm\b|\bl16\b/i.test(this.contentType) && looksLikeText(chunk)
    if (this.#isText) return []
    this.#started = true
    this.#eventCount += 1
    return [chunk]
  }

  #forward(block: Buffer): Buffer[] {
    if (this.#error !== null) return []
    const data = blockData(block)
    if (data === null) return [block]
    this.#eventCount += 1
    const event = jsonIn(data)
    if (!isRecord(event)) return this.#started && isDone(data) ? [block] : []
    if (reportedError(event) !== null || event['type'] === 'error') {
      this.#error = event
      return []
    }
    const json = this.#events?.translate?.(event) ?? event
    this.#started = true
    if (this.#events !== null) this.#read(json, this.#events)
    return [json === event ? block : eventOf(json, block)]
  }

  #read(json: JsonRecord, { finalTypes: last, items, readUsage }: EventFormat) {
    const { type, usage } = json
    const reported = readUsage(usage)
    const isLast = last.includes(textOf(type))
    if (items !== undefined) {
      if (items.hasContent(json)) this.#readItem(json, { isLast, reported }, items)
      return
    }
    this.#usage = reported ?? this.#usage
    if (!isLast) return
    this.#lastCount += 1
    this.#finished = true
  }

  /** Counts no more pieces than were requested, whatever the provider sends. */
  #readItem(
    { type, usage }: JsonRecord,
    { isLast, reported }: { isLast: boolean; reported: Usage | null },
    { count, partTypes, partsPerItem }: Items,
  ) {
    if (isLast && this.#lastCount < count) {
      this.#usage = this.#sumWith(reported)
      this.#lastCount += 1
      this.#finished = this.#lastCount === count
      this.#keepItem({ type, usage })
    } else if (partTypes.includes(textOf(type)) && this.#partCount < count * partsPerItem) {
      this.#partCount += 1
      this.#keepItem({ type })
    }
  }

  #keepItem({ type, usage }: JsonRecord) {
    const reported = stringifyOrEmpty({ usage })
    const fits = reported !== '' && reported.length <= USAGE_LENGTH_MAX
    const text = JSON.stringify(fits ? { type, usage } : { type })
    this.#kept.add(Buffer.from(`data: ${text}\n\n`))
  }

  /** Null if any piece reported no usage. All pieces are measured then. */
  #sumWith(reported: Usage | null): Usage | null {
    if (this.#lastCount === 0 || reported === null) return reported
    return this.#usage === null ? null : sumOf(this.#usage, reported)
  }
}

/**
 * Counts the parts of unfinished pieces among the kept events. Events do not name their piece, so a
 * finished piece is assumed to have used all its parts.
 */
export function openParts(
  events: readonly JsonRecord[],
  finalTypes: readonly string[],
  { count, partTypes, partsPerItem }: Omit<Items, 'hasContent'>,
): number {
  let open = 0
  let left = count
  for (const type of events.map((event) => textOf(event['type']))) {
    if (partTypes.includes(type)) open += 1
    if (!finalTypes.includes(type)) continue
    left -= 1
    open = Math.max(0, open - partsPerItem)
  }
  return Math.min(open, Math.max(0, left) * partsPerItem)
}

const isDone = (data: Buffer) => data.toString('latin1', 0, 64).trim() === '[DONE]'

/** Replaces `block`; complete only if `block` is. */
function eventOf(json: JsonRecord, block: Buffer): Buffer {
  const end = block.at(-1) === LINE_FEED ? '\n\n' : ''
  return Buffer.from(`event: ${textOf(json['type'])}\ndata: ${JSON.stringify(json)}${end}`)
}

/** Null if the answer is not an event stream. */
export const observeEvents = (contentType: string, events: EventFormat): TaskObserver | null =>
  /^text\/event-stream\b/i.test(contentType) ? new TaskObserver(contentType, events) : null

/** Whether the bytes start like JSON or HTML. */
export const looksLikeText = (bytes: Buffer): boolean =>
  /^\s*[{["<]/.test(bytes.toString('latin1', 0, 64))

/** The JSON of the events in an answer; null if the answer is not an event stream. */
export function eventsIn(answer: Buffer): JsonRecord[] | null {
  if (!/^(?:event|data|id|retry)?:/.test(answer.toString('latin1', 0, 8))) return null
  const splitter = new SseSplitter()
  return [...splitter.push(answer), splitter.end()].flatMap((block) => {
    const data = blockData(block)
    const json = data === null ? null : jsonIn(data)
    return isRecord(json) ? [json] : []
  })
}
