import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import { signatureValue } from '../../fit/google-signatures.ts'
import type { FinishReason, Decoded } from '../../form/answer.ts'
import { DONE, type EventDecoder, type StreamEvent, errorEvent, opaque } from '../../form/events.ts'
import { wordSet } from '../../provider.ts'
import { type AnswerEvents, answerEvents } from '../../streams/answer-events.ts'
import { sseDecoder } from '../../streams/event-decoder.ts'
import type { Delta, EventReader } from '../../streams/event-reader.ts'
import { FinishReasonFilter } from '../../streams/finish-reason-filter.ts'
import { gathered } from '../../streams/gather-answer.ts'
import { mergeReports } from '../../usage/usage.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { citationsOf } from './grounding.ts'
import {
  candidatesOf,
  failureOf,
  finishReasonOf,
  type Grounding,
  groundingOf,
  indexOf,
  isBlocked,
  isOutput,
  NO_GROUNDING,
  toolCallId,
  answerParts,
  type AnswerPart,
  usageOf,
} from './read-answer.ts'
import { logprobsOf } from './read-logprobs.ts'

export const chatDecoder = (call: ProviderCall): EventDecoder =>
  sseDecoder(new CandidatesReader(call))

/** Reads a whole answer like the only event of a stream. */
export function decodeChat(body: Buffer, call: ProviderCall): Decoded {
  const json = jsonIn(body)
  const given = candidatesOf(json)
  if (!isRecord(json) || (given.length === 0 && !isBlocked(json))) return body
  const candidates = given.filter((candidate) => failureOf(candidate) === null)
  if (given.length > 0 && candidates.length === 0) {
    return Buffer.from(JSON.stringify({ error: failureOf(given[0]) }))
  }
  const reader = new CandidatesReader(call)
  return gathered([...reader.event({ ...json, candidates }), ...reader.end()]) ?? body
}

/** For clients that receive the provider's own events. */
export function nativeReader(call: ProviderCall): EventReader {
  const reader = new CandidatesReader(call, opaqueParts)
  return {
    event: (json) => reader.event(json),
    onDelta: (delta, event) => reader.onDelta(delta, event),
    // The finish reasons were emitted before. `end` also runs if the upstream breaks, so only a
    // settled answer may end in order.
    end: () => (reader.isSettled ? reader.end() : []),
  }
}

const PARTS = new Set(['text', 'thought', 'thoughtSignature', 'functionCall'])
const MEMBERS = wordSet(`
  content index finishReason finishMessage safetyRatings avgLogprobs logprobsResult tokenCount
`)

/**
 * Content that OpenAI's format cannot express, such as code with its results, or sources of a text.
 */
function opaqueParts(candidate: JsonRecord): StreamEvent[] {
  const own = listOf(member(candidate['content'], 'parts'))
    .filter(isRecord)
    .filter((part) => !Object.keys(part).every((name) => PARTS.has(name)))
    .map((part) => opaque(textOf(member(part['executableCode'], 'code'))))
  const isKnown = Object.keys(candidate).every((name) => MEMBERS.has(name))
  return isKnown ? own : [...own, opaque()]
}

type Choice = {
  calls: number
  /** The last finish reason from Gemini; empty if there was none. */
  given: string
  readonly reason: FinishReasonFilter
  /** Anything but reasoning has arrived. */
  hasOutput: boolean
  /** For clients of other APIs. */
  text: string
  /** The citations that clients have. */
  readonly cited: Set<string>
}

/**
 * Reads the candidates of one answer; each event has new parts only. Some translating proxies put a
 * finish reason into every event, or into an empty first event.
 */
class CandidatesReader implements EventReader {
  readonly #call: ProviderCall
  readonly #requestedChoices: number
  /**
   * Content that OpenAI's format cannot express, for a stream that is only observed. Such a stream
   * emits every finish reason at once.
   */
  readonly #opaqueParts: ((candidate: JsonRecord) => StreamEvent[]) | null
  readonly #choices = new Map<number, Choice>()
  #events: AnswerEvents | null = null
  /** All reports so far, joined. */
  #report: JsonRecord = {}
  /** The last report, whose counts grow while its event is repeated. */
  #counts: unknown = undefined
  #hasGrown = false
  #grounding: Grounding = NO_GROUNDING
  #hasUsageSoFar = false
  #sentReport: JsonRecord | null = null
  #isBroken = false

  constructor(
    call: ProviderCall,
    readOpaqueParts: ((candidate: JsonRecord) => StreamEvent[]) | null = null,
  ) {
    this.#call = call
    this.#opaqueParts = readOpaqueParts
    const { n } = call.request
    this.#requestedChoices = typeof n === 'number' ? n : 1
  }

  event(json: JsonRecord): StreamEvent[] {
    if (this.#isBroken) return []
    this.#joinCounts()
    if (isRecord(json['error'])) return this.#fail(json)
    this.#events ??= answerEvents(this.#call, {
      id: json['responseId'],
      model: json['modelVersion'],
    })
    const candidates = isBlocked(json) ? this.#refused : candidatesOf(json)
    this.#noteGrounding(candidates)
    this.#counts = json['usageMetadata']
    this.#hasGrown = true
    this.#joinCounts()
    const parts = candidates.flatMap((candidate) => this.#candidate(candidate))
    return [...parts, ...this.#currentUsage()]
  }

  onDelta(delta: Delta, event: StreamEvent) {
    this.#hasGrown = true
    if (event.type !== 'text' || this.#opaqueParts !== null) return
    const choice = this.#choices.get(event.choice)
    if (choice !== undefined) choice.text += textOf(delta)
  }

  /** The closed connection is the only sign of the end. */
  end(): StreamEvent[] {
    this.#joinCounts()
    const events = this.#events
    if (events === null || this.#isBroken || !this.#isComplete) return []
    const finishes = [...this.#choices].flatMap(([index, choice]) => {
      const reason = choice.given === '' ? null : choice.reason.end(reasonOf(choice))
      return reason === null ? [] : [events.finish(reason, index)]
    })
    return [...finishes, ...this.#usageEvent(events), DONE]
  }

  /** The answer is complete, whatever the upstream does next. */
  get isSettled(): boolean {
    return this.#everyChoice(({ reason }) => reason.isSettled)
  }

  get #isComplete(): boolean {
    return this.#everyChoice(({ reason }) => reason.hasReason)
  }

  #everyChoice(predicate: (choice: Choice) => boolean): boolean {
    return [...this.#choices.values()].filter(predicate).length >= this.#requestedChoices
  }

  get #refused(): JsonRecord[] {
    const finishReason = 'PROHIBITED_CONTENT'
    return Array.from({ length: this.#requestedChoices }, (_none, index) => ({
      index,
      finishReason,
    }))
  }

  #fail(body: JsonRecord): StreamEvent[] {
    this.#isBroken = true
    return [errorEvent(body)]
  }

  #candidate(candidate: JsonRecord): StreamEvent[] {
    const events = this.#events
    if (events === null || this.#isBroken) return []
    const index = indexOf(candidate)
    const known = this.#choices.get(index)
    const choice = known ?? newChoice()
    this.#choices.set(index, choice)
    const failure = failureOf(candidate, choice.hasOutput)
    if (failure !== null) return this.#fail(failure)
    const parts = answerParts(candidate)
    const opaque = this.#opaqueParts?.(candidate) ?? []
    if (parts.length > 0 || opaque.length > 0) choice.reason.noteContent()
    choice.hasOutput ||= opaque.length > 0 || parts.some(isOutput)
    const logprobs = logprobsOf(candidate['logprobsResult'])
    return [
      ...(known === undefined ? [events.start(index)] : []),
      ...parts.map((one) => this.#partEvent(events, one, { index, choice })),
      ...this.#citations(events, candidate, { index, choice }),
      ...(logprobs === undefined ? [] : [events.logprobs(logprobs, index)]),
      ...opaque,
      ...this.#finish(events, candidate, { index, choice }),
    ]
  }

  #partEvent(
    events: AnswerEvents,
    parts: AnswerPart,
    { index, choice }: { index: number; choice: Choice },
  ): StreamEvent {
    switch (parts.type) {
      case 'text':
        if (this.#opaqueParts === null) choice.text += parts.text
        return events.text(parts.text, index)
      case 'reasoning':
        return events.reasoning(parts.text, index)
      case 'image':
        return events.image(parts.image, index)
      case 'signature':
        return events.seal('signature', signatureValue(parts.signature), index)
      case 'call': {
        const position = choice.calls
        choice.calls += 1
        const id = parts.call.id ?? toolCallId(this.#call.id, index, position)
        return events.toolCall(position, { ...parts.call, id }, index)
      }
    }
  }

  /** Later events may repeat the citations of earlier ones. */
  #citations(
    events: AnswerEvents,
    candidate: JsonRecord,
    { index, choice }: { index: number; choice: Choice },
  ): StreamEvent[] {
    if (this.#opaqueParts !== null || !isCited(candidate)) return []
    const citations = citationsOf(candidate, choice.text).filter((citation) => {
      const [key, known] = [JSON.stringify(citation), choice.cited.size]
      return choice.cited.add(key).size > known
    })
    return events.citations(citations, index)
  }

  #finish(
    events: AnswerEvents,
    candidate: JsonRecord,
    { index, choice }: { index: number; choice: Choice },
  ): StreamEvent[] {
    const given = textOf(candidate['finishReason'])
    if (given === '') return []
    choice.given = given
    const reason = choice.reason.accept(reasonOf(choice), { atOnce: this.#opaqueParts !== null })
    return reason === null ? [] : [events.finish(reason, index)]
  }

  /** Later events may repeat the searches of earlier ones. */
  #noteGrounding(candidates: readonly JsonRecord[]) {
    const found = groundingOf(candidates)
    if (found === NO_GROUNDING) return
    const { searches, usesMaps } = found
    this.#grounding = {
      searches: Math.max(this.#grounding.searches, searches),
      usesMaps: this.#grounding.usesMaps || usesMaps,
    }
  }

  /** The last report may lack the prompt or the thoughts of earlier ones. */
  #joinCounts() {
    if (!this.#hasGrown) return
    this.#hasGrown = false
    if (isRecord(this.#counts)) this.#report = mergeReports(this.#report, this.#counts)
  }

  /**
   * Counts grow with each event. The final counts are emitted, and emitted again if more follow.
   */
  #currentUsage(): StreamEvent[] {
    const events = this.#events
    if (events === null) return []
    const isEnd = this.#opaqueParts === null ? this.isSettled : this.#isComplete
    if (isEnd) return this.#usageEvent(events)
    if (this.#hasUsageSoFar) return []
    const soFar = events.usageSoFar(usageOf(this.#report, this.#grounding))
    this.#hasUsageSoFar = soFar.length > 0
    return soFar
  }

  #usageEvent(events: AnswerEvents): StreamEvent[] {
    if (this.#report === this.#sentReport) return []
    const usage = usageOf(this.#report, this.#grounding)
    if (usage === null) return []
    this.#sentReport = this.#report
    return [events.usage(usage)]
  }
}

const isCited = ({ groundingMetadata, citationMetadata }: JsonRecord) =>
  isRecord(groundingMetadata) || isRecord(citationMetadata)

const newChoice = (): Choice => ({
  calls: 0,
  given: '',
  reason: new FinishReasonFilter(),
  hasOutput: false,
  text: '',
  cited: new Set(),
})

const reasonOf = ({ given, calls, reason }: Choice): FinishReason =>
  finishReasonOf({ finishReason: given }, { hasCalls: calls > 0, isEmpty: !reason.hasContent })
