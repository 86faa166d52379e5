import { USAGE_SO_FAR } from '../../codec/chat-events.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, member, parseJson, textOf, type JsonRecord } from '../../json-value.ts'
import { PCM_BYTES_PER_SECOND } from '../../speech-tokens.ts'
import { blockData, EVENT_BYTES_MAX, isEventStreamBlock, SseSplitter } from '../../sse.ts'
import { mergeReports, parseUsage, type Usage } from '../../usage.ts'
import { choicesOf, choiceText, reportedError, usageReport } from './answer.ts'
import { CallIndexes } from './call-indexes.ts'
import { shapeOf, textInShape, withoutText, type EventShape } from './event-shape.ts'
import { withFittingReasons } from './finish-reason.ts'
import { OutputBuffer, type CountableOutput } from './output-buffer.ts'
import { hasContent, isPlain, hasOutput } from './text-delta.ts'

/*
 * Observes a provider's stream on its way to the client. Most events carry a single token in
 * otherwise identical bytes. Such events are recognized by their bytes and not parsed; all others
 * are parsed.
 */

const DONE = Buffer.from('[DONE]')
/** The most that a request may ask for. Further choices are not tracked. */
const CHOICES_MAX = 128
/** Larger events carry more than a token. An event within this limit is kept until the next one. */
const PLAIN_BYTES_MAX = 8 * 1024
const LINE_FEED = 0x0a
const BLOCK_END = Buffer.from('\n\n')

type PlainEvent = { readonly block: Buffer; readonly choice: JsonRecord }

/** Members that all events of a stream share. */
export type StreamHead = { readonly id: unknown; readonly created: unknown }

export type StreamObserverOptions = {
  /** Default 1. */
  readonly choices?: number
  /** The provider's name of the model, for reports that need it. */
  readonly upstreamModel?: string | undefined
  readonly eventBytesMax?: number
  readonly keptBytesMax?: number
}

export class StreamObserver {
  readonly #splitter: SseSplitter
  readonly #plainBytesMax: number
  readonly #kept: OutputBuffer
  readonly #choices: number
  /** By choice index; null while it is explicitly null, undefined while it is absent. */
  readonly #finishReasons = new Map<number, string | null | undefined>()
  /** A choice continued after its finish reason. Some providers send a reason with each event. */
  #outputFollowedReason = false
  #hasContent = false
  #shape: EventShape | null = null
  /**
   * The last parsed event, if it may have a shape. The shape is computed when the next event
   * arrives, so that the first token is not delayed.
   */
  #unlearntShape: PlainEvent | null = null
  #started = false
  #hasOutput = false
  #done = false
  #error: JsonRecord | null = null
  readonly #upstreamModel: string
  /** All reports so far, joined. */
  #report: JsonRecord | null = null
  #usage: Usage | null = null
  /** Bytes of output when the usage was reported. */
  #usageBytes = 0
  #usageInStandardField = false
  #withheldUsage: JsonRecord | null = null
  #model: string | null = null
  #lastForwarded = true
  #eventCount = 0
  #deltaCount = 0
  #isPlain = true
  /** Decoded bytes of audio, which OpenAI streams only as `pcm16`. */
  #speechBytes = 0
  #head: StreamHead = { id: undefined, created: undefined }
  /** Null before the first tool call. */
  #callIndexes: CallIndexes | null = null
  /** Takes the place of the last event, which clients would misread. */
  #replacement: Buffer | null = null

  constructor(options: StreamObserverOptions = {}) {
    const { choices = 1, eventBytesMax = EVENT_BYTES_MAX, keptBytesMax } = options
    this.#upstreamModel = options.upstreamModel ?? ''
    this.#splitter = new SseSplitter({ eventBytesMax })
    this.#plainBytesMax = Math.min(PLAIN_BYTES_MAX, eventBytesMax)
    this.#kept = new OutputBuffer(keptBytesMax)
    this.#choices = choices
  }

  /** An event has arrived that is neither an error nor the end. */
  get started(): boolean {
    return this.#started
  }

  /** Output has arrived: a token of any kind, or a finish reason. */
  get hasOutput(): boolean {
    return this.#hasOutput
  }

  /** `[DONE]` has arrived. It is not passed on, since the gateway settles first. */
  get done(): boolean {
    return this.#done
  }

  /** Every requested choice has ended with a finish reason, so the answer is complete. */
  get finished(): boolean {
    if (this.#outputFollowedReason || !this.canEnd) return false
    // An empty `stop` may precede all output; other reasons explain why there is none.
    return this.#hasContent || [...this.#finishReasons.values()].some((reason) => reason !== 'stop')
  }

  /** The answer is complete if the upstream now ends without an error. */
  get canEnd(): boolean {
    const reasons = [...this.#finishReasons.values()]
    return this.#error === null && reasons.length >= this.#choices && reasons.every(isReason)
  }

  /**
   * The stream ended properly. With finish reasons present, `[DONE]` proves nothing, since gateways
   * append it to streams that were cut off; Spark sends no reasons. A provider may make fewer
   * choices than requested.
   */
  get isComplete(): boolean {
    if (this.finished) return true
    const reasons = [...this.#finishReasons.values()]
    const isOrderly = this.#done && this.#error === null && reasons.length > 0
    return isOrderly && (reasons.every(isReason) || reasons.every((reason) => reason === undefined))
  }

  /** An error event, for `classifyUpstreamError`. It and everything after it is not passed on. */
  get error(): JsonRecord | null {
    return this.#error
  }

  /** An event exceeded the size limit; the rest of the stream is not passed on. */
  get overflowed(): boolean {
    return this.#splitter.overflowed
  }

  get usage(): Usage | null {
    return this.#usage
  }

  /** Output followed the usage, so the usage does not cover the whole answer. */
  get outputFollowedUsage(): boolean {
    return this.#kept.bytes > this.#usageBytes
  }

  /**
   * The client can read the usage in the last report: it is in its standard place (Groq and
   * Moonshot have sent it in others), and no earlier report adds to it.
   */
  get usageInStandardField(): boolean {
    return this.#usageInStandardField
  }

  /** The last usage event as reported. Such events are held back until the charge is known. */
  get withheldUsage(): JsonRecord | null {
    return this.#withheldUsage
  }

  get model(): string | null {
    return this.#model
  }

  /** Upper bound on the output tokens so far. */
  get outputBytes(): number {
    return this.#kept.bytes
  }

  get hasSpeech(): boolean {
    return this.#speechBytes > 0
  }

  /** Number of events; keep-alive comments do not count. */
  get eventCount(): number {
    return this.#eventCount
  }

  /** Number of events with output or usage. An empty event counts no more than a comment. */
  get deltaCount(): number {
    return this.#deltaCount
  }

  get head(): StreamHead {
    return this.#head
  }

  /** The output so far, if it is a single choice of plain text; otherwise null. */
  plainText(): string | null {
    return this.#isPlain && this.#choices === 1 ? this.#kept.fullText() : null
  }

  /** All output, or the output up to `outputBytes` = `bytes`. */
  outputTextForCounting(bytes?: number): CountableOutput {
    const text = this.#kept.forCounting(bytes)
    if (this.#speechBytes === 0) return text
    return { ...text, speechSeconds: this.#speechBytes / PCM_BYTES_PER_SECOND }
  }

  /** The bytes for the client. An unfinished event is held back until it is complete. */
  push(chunk: Buffer): Buffer[] {
    if (this.#splitter.isBetweenBlocks && this.#matchShape(chunk)) {
      this.#lastForwarded = this.#isForwarding
      return this.#lastForwarded ? [chunk] : []
    }
    const forwarded: Buffer[] = []
    for (const block of this.#splitter.push(chunk)) {
      this.#replacement = null
      // The LF of a CRLF that was cut goes where the first half went.
      if (!isLineFeed(block)) this.#lastForwarded = this.#forwards(block)
      if (this.#lastForwarded) forwarded.push(this.#replacement ?? block)
    }
    return joinAdjacent(forwarded)
  }

  /** Call when the upstream has ended. Returns the last event if only its blank line is missing. */
  end(): Buffer[] {
    const rest = this.#splitter.end()
    const data = rest.length === 0 ? null : blockData(rest)
    this.#replacement = null
    if (data === null || !isWholeEvent(data) || !this.#forwards(rest)) return []
    return this.#replacement === null ? [rest, BLOCK_END] : [this.#replacement]
  }

  #forwards(block: Buffer): boolean {
    if (this.#matchShape(block)) return this.#isForwarding
    const data = blockData(block)
    if (data === null) return this.#isForwarding && isEventStreamBlock(block)
    this.#eventCount += 1
    if (data.equals(DONE)) {
      this.#done = true
      return false
    }
    const json = jsonIn(data)
    if (!isRecord(json)) return false
    const wasForwarding = this.#isForwarding
    const isForwarded = this.#read(json)
    this.#shape = null
    if (!this.#repair(json)) this.#deferShape(block, json)
    return isForwarded && wasForwarding
  }

  /** Whether the event lacked indexes of tool calls, or had a finish reason that does not fit. */
  #repair(json: JsonRecord): boolean {
    if (this.#callIndexes === null && !choicesOf(json).some(mentionsCalls)) return false
    const calls = (this.#callIndexes ??= new CallIndexes())
    const completed = calls.complete(json)
    const fitting = withFittingReasons(completed ?? json, (choice) => calls.hasCalls(choice))
    const repaired = fitting ?? completed
    if (repaired === null) return false
    this.#replacement = Buffer.from(`data: ${JSON.stringify(repaired)}\n\n`)
    return true
  }

  get #isForwarding(): boolean {
    return !this.#done && this.#error === null
  }

  /** True if only the text differs from the last parsed event. The text is kept for counting. */
  #matchShape(block: Buffer): boolean {
    this.#learnShape()
    if (this.#shape === null || block.length > this.#plainBytesMax) return false
    const text = textInShape(block, this.#shape)
    if (text === null) return false
    this.#eventCount += 1
    if (text.length > 0) this.#deltaCount += 1
    if (this.#isForwarding) this.#kept.addEscaped(text)
    return true
  }

  #deferShape(block: Buffer, json: JsonRecord) {
    const [choice, ...others] = choicesOf(json)
    const isSingle = this.#hasOutput && choice !== undefined && others.length === 0
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

  #read(json: JsonRecord): boolean {
    const choices = choicesOf(json)
    const hasUsage = this.#readUsage(json, choices)
    if (reportedError(json) !== null) {
      // An error after the complete answer is ignored.
      if (this.finished) this.#done = true
      else this.#error ??= json
      return false
    }
    if (!this.#started) this.#head = { id: json['id'], created: json['created'] }
    this.#started = true
    this.#isPlain &&= choices.every(isPlain)
    this.#model ??= modelOf(json)
    for (const choice of choices) this.#noteChoice(choice)
    const hasDelta = choices.some(hasOutput)
    this.#hasOutput ||= hasDelta
    if (hasDelta || hasUsage) this.#deltaCount += 1
    if (this.#isForwarding) {
      this.#kept.addText(choices.reduce((text, choice) => text + choiceText(choice), ''))
      for (const choice of choices) this.#speechBytes += speechBytes(choice)
    }
    if (hasUsage) this.#usageBytes = this.#kept.bytes
    return choices.length > 0 || !(isRecord(json['usage']) || USAGE_SO_FAR in json)
  }

  #readUsage(json: JsonRecord, choices: readonly JsonRecord[]): boolean {
    const soFar = json[USAGE_SO_FAR]
    const report =
      usageReport(json) ?? (parseUsage(soFar) !== null && isRecord(soFar) ? soFar : null)
    if (report === null) return false
    this.#report = this.#report === null ? report : mergeReports(this.#report, report)
    this.#usage = parseUsage(this.#report, this.#upstreamModel)
    const isStandard = report === json['usage']
    this.#usageInStandardField = isStandard && isSameUsage(parseUsage(report), this.#usage)
    this.#withheldUsage = isStandard && choices.length === 0 ? report : null
    return true
  }

  #noteChoice(choice: JsonRecord): void {
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0
    if (this.#finishReasons.size >= CHOICES_MAX && !this.#finishReasons.has(index)) return
    const addsContent = hasContent(choice)
    this.#hasContent ||= addsContent
    this.#outputFollowedReason ||= addsContent && isReason(this.#finishReasons.get(index))
    const reason = choice['finish_reason']
    if (isReason(reason)) this.#finishReasons.set(index, reason)
    else if (this.#finishReasons.get(index) === undefined) {
      this.#finishReasons.set(index, reason === undefined ? undefined : null)
    }
  }
}

/**
 * Whether the event's only output is the text in its shape. The event is also checked without that
 * text: the same text may stand in two members, of which only one is output.
 */
function shapeHoldsText(choice: JsonRecord, block: Buffer, shape: EventShape): boolean {
  const text = textInShape(block, shape)
  // An empty text does not show whether this member is the output.
  if (text === null || text.length === 0) return false
  if (parseJson(`"${text.toString()}"`) !== choiceText(choice)) return false
  const rest = blockData(withoutText(block, shape, text))
  return choicesOf(parseJson(rest?.toString('utf8') ?? '')).every((one) => choiceText(one) === '')
}

const isSameUsage = (a: Usage | null, b: Usage | null) =>
  a?.promptTokens === b?.promptTokens && a?.completionTokens === b?.completionTokens

const mentionsCalls = ({ delta, finish_reason: reason }: JsonRecord) =>
  reason === 'tool_calls' || member(delta, 'tool_calls') !== undefined

const isReason = (reason: unknown): reason is string => typeof reason === 'string' && reason !== ''

function isLineFeed(block: Buffer): boolean {
  return block.length === 1 && block[0] === LINE_FEED
}

/** A truncated or corrupt event may match the shape, but is not valid JSON. */
function isWholeEvent(data: Buffer): boolean {
  return data.equals(DONE) || isRecord(jsonIn(data))
}

function speechBytes({ delta }: JsonRecord): number {
  const audio = member(delta, 'audio')
  return audio === undefined ? 0 : Buffer.byteLength(textOf(member(audio, 'data')), 'base64')
}

function modelOf(json: JsonRecord): string | null {
  const model = member(json, 'model')
  return typeof model === 'string' && model !== '' ? model : null
}

/** Rejoins pieces that are adjacent in a chunk, so that a chunk is a single write. */
function joinAdjacent(blocks: Buffer[]): Buffer[] {
  if (blocks.length < 2) return blocks
  const joined: Buffer[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    const isAdjacent =
      last !== undefined &&
      last.buffer === block.buffer &&
      last.byteOffset + last.length === block.byteOffset
    if (!isAdjacent) joined.push(block)
    else
      joined[joined.length - 1] = Buffer.from(
        last.buffer,
        last.byteOffset,
        last.length + block.length,
      )
  }
  return joined
}
