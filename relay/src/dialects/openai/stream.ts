import { USAGE_SO_FAR } from '../../codec/chat-events.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, member, parseJson, textOf, type JsonRecord } from '../../json-value.ts'
import { PCM_BYTES_PER_SECOND } from '../../speech-tokens.ts'
import { blockData, EVENT_BYTES_MAX, isEventStreamBlock, SseSplitter } from '../../sse.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import { choicesOf, choiceText, reportedError, reportedUsage } from './answer.ts'
import { shapeOf, textInShape, withoutText, type EventShape } from './event-shape.ts'
import { KeptOutput, type OutputForCounting } from './kept-output.ts'
import { hasContent, isPlain, isSpeaking } from './text-delta.ts'

/*
 * Watches a provider's stream on its way to the client. Most events are one token and all alike: the same
 * bytes around another text. They are known by those bytes and not parsed; all others are.
 */

const DONE = Buffer.from('[DONE]')
/** As many as may be asked for; a provider that numbers more is not kept in mind. */
const CHOICES_MAX = 128
/** A larger event carries more than a token. One that is no larger is kept until the next has come. */
const PLAIN_BYTES_MAX = 8 * 1024
const LINE_FEED = 0x0a
const BLOCK_END = Buffer.from('\n\n')

type ReadEvent = { readonly block: Buffer; readonly choice: JsonRecord }

/** What all events of one stream have in common. */
export type StreamHead = { readonly id: unknown; readonly created: unknown }

export type StreamObserverOptions = {
  /** How many choices were asked for (default 1). */
  readonly choices?: number
  readonly eventBytesMax?: number
  readonly keptBytesMax?: number
}

export class StreamObserver {
  readonly #splitter: SseSplitter
  readonly #plainBytesMax: number
  readonly #kept: KeptOutput
  readonly #choices: number
  /** Of each choice; null while it is said to have none, undefined where nothing is said of it. */
  readonly #finishReasons = new Map<number, string | null | undefined>()
  /** A choice went on after its reason, as with providers that give one with each event, so that none tells the end. */
  #finishesEarly = false
  #hasContent = false
  #shape: EventShape | null = null
  /** The last that was read, if it may have a shape: that is looked for when the next one comes, as the first is waited for. */
  #unlearnt: ReadEvent | null = null
  #started = false
  #spoke = false
  #done = false
  #error: JsonRecord | null = null
  #usage: Usage | null = null
  /** What had been said when it was told. */
  #usageBytes = 0
  #toldUsage = false
  #heldUsage: JsonRecord | null = null
  #model: string | null = null
  #lastPassed = true
  #eventCount = 0
  #newsCount = 0
  #isPlain = true
  /** Which OpenAI streams as `pcm16` alone. */
  #speechBytes = 0
  #head: StreamHead = { id: undefined, created: undefined }

  constructor(options: StreamObserverOptions = {}) {
    const { choices = 1, eventBytesMax = EVENT_BYTES_MAX, keptBytesMax } = options
    this.#splitter = new SseSplitter({ eventBytesMax })
    this.#plainBytesMax = Math.min(PLAIN_BYTES_MAX, eventBytesMax)
    this.#kept = new KeptOutput(keptBytesMax)
    this.#choices = choices
  }

  /** The first event that is neither an error nor the end has been seen. */
  get started(): boolean {
    return this.#started
  }

  /** Something was said: a token of any kind, or the reason why nothing follows. */
  get spoke(): boolean {
    return this.#spoke
  }

  /** `[DONE]` has been seen; it is not handed on, since the gateway settles first. */
  get done(): boolean {
    return this.#done
  }

  /**
   * Every choice that was asked for has its finish reason behind all that it says, so nothing of the answer is missing,
   * whatever its upstream does next.
   */
  get finished(): boolean {
    if (this.#finishesEarly || !this.canEnd) return false
    // An empty stop may come before all words; other reasons tell why there are none.
    return this.#hasContent || [...this.#finishReasons.values()].some((reason) => reason !== 'stop')
  }

  /** Nothing is missing if its upstream ends now, in order. */
  get canEnd(): boolean {
    const reasons = [...this.#finishReasons.values()]
    return this.#error === null && reasons.length >= this.#choices && reasons.every(isReason)
  }

  /**
   * It has ended in order. `[DONE]` is no sign of it where finish reasons are given, as gateways put it behind
   * what was cut off; Spark gives none. Of several choices a provider may have made fewer.
   */
  get whole(): boolean {
    if (this.finished) return true
    const reasons = [...this.#finishReasons.values()]
    const isOrderly = this.#done && this.#error === null && reasons.length > 0
    return isOrderly && (reasons.every(isReason) || reasons.every((reason) => reason === undefined))
  }

  /** The body of an error event, for `classifyUpstreamError`; it and what follows is not handed on. */
  get error(): JsonRecord | null {
    return this.#error
  }

  /** A single event was larger than the limit; the rest of the stream is not handed on. */
  get overflowed(): boolean {
    return this.#splitter.overflowed
  }

  get usage(): Usage | null {
    return this.#usage
  }

  /** More was said after it was told, so that it is not that of the whole answer. */
  get isUsageEarly(): boolean {
    return this.#kept.bytes > this.#usageBytes
  }

  /** It stood where clients look for it; Groq and Moonshot have put it elsewhere. */
  get toldUsage(): boolean {
    return this.#toldUsage
  }

  /** The last usage as it was told, if that was in an event of its own: those are held back until it is known what is charged. */
  get heldUsage(): JsonRecord | null {
    return this.#heldUsage
  }

  /** The model that answered, as the provider names it. */
  get model(): string | null {
    return this.#model
  }

  /** The output so far has at most as many tokens. */
  get outputBytes(): number {
    return this.#kept.bytes
  }

  /** Audio was among what was said. */
  get hasSpeech(): boolean {
    return this.#speechBytes > 0
  }

  /** How many events have come; comments that keep a connection alive are none. */
  get eventCount(): number {
    return this.#eventCount
  }

  /** How many of them said something; an empty one is no more than a comment. */
  get newsCount(): number {
    return this.#newsCount
  }

  get head(): StreamHead {
    return this.#head
  }

  /** What was said so far, if it was one choice of nothing but plain text; else null. */
  plainText(): string | null {
    return this.#isPlain && this.#choices === 1 ? this.#kept.wholeText() : null
  }

  /** All of it, or what was said while `outputBytes` were that many. */
  outputTextForCounting(bytes?: number): OutputForCounting {
    const text = this.#kept.forCounting(bytes)
    if (this.#speechBytes === 0) return text
    return { ...text, speechSeconds: this.#speechBytes / PCM_BYTES_PER_SECOND }
  }

  /** What the client is to get of this chunk; an unfinished event is held back until it is whole. */
  push(chunk: Buffer): Buffer[] {
    if (this.#splitter.isBetweenBlocks && this.#keepInShape(chunk)) {
      this.#lastPassed = this.#handsOn
      return this.#lastPassed ? [chunk] : []
    }
    const passed = this.#splitter.push(chunk).filter((block) => {
      // The second half of a line end that was cut goes where the first half went.
      if (!isLineFeed(block)) this.#lastPassed = this.#passes(block)
      return this.#lastPassed
    })
    return joinNeighbours(passed)
  }

  /** Call when the upstream has ended: gives the last event if only its blank line was missing. */
  end(): Buffer[] {
    const rest = this.#splitter.end()
    const data = rest.length === 0 ? null : blockData(rest)
    if (data === null || !isWholeEvent(data) || !this.#passes(rest)) return []
    return [rest, BLOCK_END]
  }

  #passes(block: Buffer): boolean {
    if (this.#keepInShape(block)) return this.#handsOn
    const data = blockData(block)
    if (data === null) return this.#handsOn && isEventStreamBlock(block)
    this.#eventCount += 1
    if (data.equals(DONE)) {
      this.#done = true
      return false
    }
    const json = jsonIn(data)
    if (!isRecord(json)) return false
    const handsOn = this.#handsOn
    const isPassed = this.#read(json)
    this.#shape = null
    this.#learnLater(block, json)
    return isPassed && handsOn
  }

  get #handsOn(): boolean {
    return !this.#done && this.#error === null
  }

  /** True for an event that is like the last that was read but for its text, which is kept for counting. */
  #keepInShape(block: Buffer): boolean {
    this.#learn()
    if (this.#shape === null || block.length > this.#plainBytesMax) return false
    const text = textInShape(block, this.#shape)
    if (text === null) return false
    this.#eventCount += 1
    if (text.length > 0) this.#newsCount += 1
    if (this.#handsOn) this.#kept.addEscaped(text)
    return true
  }

  #learnLater(block: Buffer, json: JsonRecord) {
    const [choice, ...others] = choicesOf(json)
    const isOne = this.#spoke && choice !== undefined && others.length === 0
    this.#unlearnt = isOne && block.length <= this.#plainBytesMax ? { block, choice } : null
  }

  /** The shape of an event whose one text is all that it says: whatever is like it says its text and no more. */
  #learn() {
    if (this.#unlearnt === null) return
    const { block, choice } = this.#unlearnt
    this.#unlearnt = null
    const shape = shapeOf(block)
    this.#shape = shape !== null && saysOnlyText(choice, block, shape) ? shape : null
  }

  #read(json: JsonRecord): boolean {
    const choices = choicesOf(json)
    const usage = reportedUsage(json)
    const told = usage ?? parseUsage(json[USAGE_SO_FAR])
    if (told !== null) {
      const inUsage = parseUsage(json['usage']) === null ? undefined : json['usage']
      this.#usage = told
      this.#toldUsage = inUsage !== undefined
      this.#heldUsage = isRecord(inUsage) && choices.length === 0 ? inUsage : null
    }
    if (reportedError(json) !== null) {
      // Behind all that there is to say it spoils nothing.
      if (this.finished) this.#done = true
      else this.#error ??= json
      return false
    }
    if (!this.#started) this.#head = { id: json['id'], created: json['created'] }
    this.#started = true
    this.#isPlain &&= choices.every(isPlain)
    this.#model ??= modelOf(json)
    for (const choice of choices) this.#noteChoice(choice)
    const isNews = choices.some(isSpeaking)
    this.#spoke ||= isNews
    if (isNews || told !== null) this.#newsCount += 1
    if (this.#handsOn) {
      this.#kept.addText(choices.reduce((text, choice) => text + choiceText(choice), ''))
      for (const choice of choices) this.#speechBytes += speechBytes(choice)
    }
    if (told !== null) this.#usageBytes = this.#kept.bytes
    return choices.length > 0 || !(isRecord(json['usage']) || USAGE_SO_FAR in json)
  }

  #noteChoice(choice: JsonRecord): void {
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0
    if (this.#finishReasons.size >= CHOICES_MAX && !this.#finishReasons.has(index)) return
    const isMore = hasContent(choice)
    this.#hasContent ||= isMore
    this.#finishesEarly ||= isMore && isReason(this.#finishReasons.get(index))
    const reason = choice['finish_reason']
    if (isReason(reason)) this.#finishReasons.set(index, reason)
    else if (this.#finishReasons.get(index) === undefined) {
      this.#finishReasons.set(index, reason === undefined ? undefined : null)
    }
  }
}

/** Also without it: a text that nobody reads may stand beside the same text that is read, and does not change with it. */
function saysOnlyText(choice: JsonRecord, block: Buffer, shape: EventShape): boolean {
  const text = textInShape(block, shape)
  // Of an empty one nobody can tell yet whether it is what is said, or what leads to it.
  if (text === null || text.length === 0) return false
  if (parseJson(`"${text.toString()}"`) !== choiceText(choice)) return false
  const rest = blockData(withoutText(block, shape, text))
  return choicesOf(parseJson(rest?.toString('utf8') ?? '')).every((one) => choiceText(one) === '')
}

const isReason = (reason: unknown): reason is string => typeof reason === 'string' && reason !== ''

function isLineFeed(block: Buffer): boolean {
  return block.length === 1 && block[0] === LINE_FEED
}

/** What is cut off within an event, or spoilt, may look like those before it, and is no JSON. */
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

/** Pieces that lie side by side in one chunk become one again, so that a chunk is one write. */
function joinNeighbours(blocks: Buffer[]): Buffer[] {
  if (blocks.length < 2) return blocks
  const joined: Buffer[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    const touches =
      last !== undefined &&
      last.buffer === block.buffer &&
      last.byteOffset + last.length === block.byteOffset
    if (!touches) joined.push(block)
    else
      joined[joined.length - 1] = Buffer.from(
        last.buffer,
        last.byteOffset,
        last.length + block.length,
      )
  }
  return joined
}
