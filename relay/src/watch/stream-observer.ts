import type { Served } from '@tollgate/contract'
import { isRecord, type JsonRecord, member, textOf } from '../bytes/json-value.ts'
import { choicesOf } from '../form/chat-chunk.ts'
import {
  hasContent,
  isPlain,
  outputText,
  type StreamEvent,
  type StreamHead,
} from '../form/events.ts'
import type { TextRange } from '../streams/event-shape.ts'
import { PCM_BYTES_PER_SECOND } from '../tokens/speech-tokens.ts'
import { servedIn } from '../usage/served.ts'
import { isUsage, mergeReports, parseUsage, type Usage } from '../usage/usage.ts'
import { choiceText, reportedError, usageReport } from '../wires/openai-chat/answer-summary.ts'
import {
  hasContent as hasContentIn,
  hasOutput,
  isPlain as isPlainChoice,
} from '../wires/openai-chat/text-delta.ts'
import { type CountableOutput, OutputBuffer } from './output-buffer.ts'

/** The most that a request may ask for. Further choices are not tracked. */
const CHOICES_MAX = 128

export type StreamObserverOptions = {
  /** Default 1. */
  readonly choices?: number
  /** The provider's name of the model, for reports that need it. */
  readonly upstreamModel?: string | undefined
  readonly keptBytesMax?: number
}

/**
 * What the gateway knows of a stream on its way to the client. Decoders show it events; streams
 * of chat completions that pass through show it their chunks (chat-stream.ts).
 */
export class StreamObserver {
  /** An event exceeded the size limit; the rest of the stream is not passed on. */
  overflowed = false
  readonly #kept: OutputBuffer
  readonly #choices: number
  /** By choice index; null while it is explicitly null, undefined while it is absent. */
  readonly #finishReasons = new Map<number, string | null | undefined>()
  /** Choices with a finish reason. */
  #finishedChoices = 0
  /** A choice continued after its finish reason. Some providers send a reason with each event. */
  #outputFollowedReason = false
  #hasContent = false
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
  #serviceTier: unknown = undefined
  #eventCount = 0
  #deltaCount = 0
  #isPlain = true
  /** Decoded bytes of audio, which OpenAI streams only as `pcm16`. */
  #speechBytes = 0
  #head: StreamHead = { id: undefined, created: undefined }

  constructor(options: StreamObserverOptions = {}) {
    const { choices = 1, keptBytesMax } = options
    this.#upstreamModel = options.upstreamModel ?? ''
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

  /** Nothing but regular finish reasons has arrived; others explain why there is no output. */
  get isEmpty(): boolean {
    if (this.#hasContent || (this.#usage?.completionTokens ?? 0) > 0) return false
    return [...this.#finishReasons.values()].every(
      (reason) => reason === 'stop' || !isReason(reason),
    )
  }

  /** The answer is complete if the upstream now ends without an error. */
  get canEnd(): boolean {
    const { size } = this.#finishReasons
    return this.#error === null && size >= this.#choices && size === this.#finishedChoices
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

  /** Neither the end nor an error has arrived. */
  get isOpen(): boolean {
    return !this.#done && this.#error === null
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

  /** How the provider says it served the answer; undefined for as any other. */
  get served(): Served | undefined {
    return servedIn(this.#report, this.#serviceTier)
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

  /** Notes an event. False for an event that clients do not get. */
  observe(event: StreamEvent): boolean {
    // Some providers report the usage of a failed answer after the error.
    if (!this.isOpen && event.type !== 'usage') return false
    this.#eventCount += 1
    switch (event.type) {
      case 'done':
        this.#done = true
        return false
      case 'error':
        this.#fail(event.body)
        return false
      case 'usage':
        this.#started = true
        if (!isUsage(event.report)) return false
        this.#noteReport(event.report, { isStandard: event.isFinal, isWithheld: event.isFinal })
        this.#deltaCount += 1
        this.#usageBytes = this.#kept.bytes
        return false
      case 'comment':
        this.#eventCount -= 1
        return true
      case 'start':
        if (this.#head.id === undefined) this.#head = event.head
        this.#model ??= event.head.model || null
        this.#hearOutput(event, event.choice)
        return true
      default:
        this.#hearOutput(event, event.choice)
        return true
    }
  }

  #hearOutput(event: StreamEvent, choice: number) {
    const reason = event.type === 'finish' ? event.reason : null
    const addsContent = hasContent(event)
    this.#started = true
    this.#isPlain &&= isPlain(event)
    this.#noteChoice(choice, addsContent, reason)
    if (addsContent || reason !== null) {
      this.#hasOutput = true
      this.#deltaCount += 1
    }
    this.#kept.addText(outputText(event))
  }

  /** Notes a chunk that differs from an earlier one only in its text, which is still escaped. */
  observeText(event: Buffer, { start, end }: TextRange) {
    this.#eventCount += 1
    if (end > start) this.#deltaCount += 1
    if (this.isOpen) this.#kept.addEscaped(event, start, end)
  }

  observeDone() {
    this.#eventCount += 1
    this.#done = true
  }

  /** Notes an event that is no JSON. */
  observeUnreadable() {
    this.#eventCount += 1
  }

  /** Notes a chunk of chat completions. False for a chunk that clients do not get. */
  observeChunk(json: JsonRecord): boolean {
    this.#eventCount += 1
    const choices = choicesOf(json)
    const report = usageReport(json)
    if (report !== null) {
      const isStandard = report === json['usage']
      this.#noteReport(report, { isStandard, isWithheld: isStandard && choices.length === 0 })
    }
    if (reportedError(json) !== null) {
      this.#fail(json)
      return false
    }
    if (!this.#started) this.#head = { id: json['id'], created: json['created'] }
    this.#started = true
    this.#isPlain &&= choices.every(isPlainChoice)
    this.#model ??= textOf(json['model']) || null
    this.#serviceTier ??= json['service_tier']
    for (const choice of choices) {
      const { index, finish_reason: reason } = choice
      this.#noteChoice(typeof index === 'number' ? index : 0, hasContentIn(choice), reason)
    }
    const hasDelta = choices.some(hasOutput)
    this.#hasOutput ||= hasDelta
    if (hasDelta || report !== null) this.#deltaCount += 1
    if (this.isOpen) {
      this.#kept.addText(choices.reduce((text, choice) => text + choiceText(choice), ''))
      for (const choice of choices) this.#speechBytes += speechBytes(choice)
    }
    if (report !== null) this.#usageBytes = this.#kept.bytes
    return choices.length > 0 || !isRecord(json['usage'])
  }

  #noteReport(report: JsonRecord, { isStandard, isWithheld }: ReportPlace) {
    this.#report = this.#report === null ? report : mergeReports(this.#report, report)
    this.#usage = parseUsage(this.#report, this.#upstreamModel)
    this.#usageInStandardField = isStandard && isSameUsage(parseUsage(report), this.#usage)
    this.#withheldUsage = isWithheld ? report : null
  }

  /** An error after the complete answer is ignored. */
  #fail(error: JsonRecord) {
    if (this.finished) this.#done = true
    else this.#error ??= error
  }

  #noteChoice(index: number, addsContent: boolean, reason: unknown): void {
    if (this.#finishReasons.size >= CHOICES_MAX && !this.#finishReasons.has(index)) return
    this.#hasContent ||= addsContent
    this.#outputFollowedReason ||= addsContent && isReason(this.#finishReasons.get(index))
    const known = this.#finishReasons.get(index)
    if (isReason(reason)) {
      if (!isReason(known)) this.#finishedChoices += 1
      this.#finishReasons.set(index, reason)
    } else if (known === undefined) {
      this.#finishReasons.set(index, reason === undefined ? undefined : null)
    }
  }
}

type ReportPlace = {
  /** The client finds the report where OpenAI has it. */
  readonly isStandard: boolean
  /** The report is not sent before the charge is known. */
  readonly isWithheld: boolean
}

const isSameUsage = (a: Usage | null, b: Usage | null) =>
  a?.promptTokens === b?.promptTokens && a?.completionTokens === b?.completionTokens

const isReason = (reason: unknown): reason is string => typeof reason === 'string' && reason !== ''

function speechBytes({ delta }: JsonRecord): number {
  const audio = member(delta, 'audio')
  return audio === undefined ? 0 : Buffer.byteLength(textOf(member(audio, 'data')), 'base64')
}
