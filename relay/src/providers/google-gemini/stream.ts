import {
  ChatEvents,
  DONE_EVENT,
  errorEventOf,
  type FinishReason,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { sseDecoder, type EventReader } from '../../codec/event-decoder.ts'
import { FinishReasonFilter } from '../../codec/finish-reason-filter.ts'
import { opaqueDelta } from '../../codec/opaque-delta.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../json-value.ts'
import {
  candidatesOf,
  failureOf,
  finishReasonOf,
  headOf,
  indexOf,
  isBlocked,
  madeId,
  saidBy,
  type Said,
  usageOf,
} from './answer.ts'
import { logprobsOf } from './logprobs.ts'
import { signatureMember } from './signatures.ts'

export function chatDecoder(call: ProviderCall): StreamDecoder {
  const reader = new CandidatesReader(call)
  return sseDecoder({ event: (json) => reader.event(json), end: () => reader.end() })
}

/** For clients that receive the provider's own events. */
export function nativeReader(call: ProviderCall): EventReader {
  const reader = new CandidatesReader(call, beyond)
  return {
    event: (json) => reader.event(json),
    // The finish reasons were emitted before. `end` also runs if the upstream breaks, so only a
    // settled answer may end in order.
    end: () => (reader.isSettled ? reader.end() : []),
  }
}

const PARTS = new Set(['text', 'thought', 'thoughtSignature', 'functionCall'])
const MEMBERS = new Set([
  'content',
  'index',
  'finishReason',
  'finishMessage',
  'safetyRatings',
  'avgLogprobs',
  'logprobsResult',
  'tokenCount',
])

/**
 * Content that OpenAI's format cannot express, such as code with its results, or sources of a text.
 */
function beyond(candidate: JsonRecord): Buffer[] {
  const own = listOf(member(candidate['content'], 'parts'))
    .filter(isRecord)
    .filter((part) => !Object.keys(part).every((name) => PARTS.has(name)))
    .map((part) => opaqueDelta(textOf(member(part['executableCode'], 'code'))))
  const isKnown = Object.keys(candidate).every((name) => MEMBERS.has(name))
  return isKnown ? own : [...own, opaqueDelta()]
}

type Choice = {
  calls: number
  /** The last finish reason from Gemini; empty if there was none. */
  given: string
  readonly reason: FinishReasonFilter
}

/**
 * Reads the candidates of one answer; each event has new parts only. Some translating proxies put a
 * finish reason into every event, or into an empty first event.
 */
class CandidatesReader implements EventReader {
  readonly #call: ProviderCall
  readonly #choicesAsked: number
  /**
   * Content that OpenAI's format cannot express, for a stream that is only observed. Such a stream
   * emits every finish reason at once.
   */
  readonly #beyond: ((candidate: JsonRecord) => Buffer[]) | null
  readonly #choices = new Map<number, Choice>()
  #events: ChatEvents | null = null
  #usage: ReportedUsage | null = null
  #usageTold: ReportedUsage | null = null
  #isBroken = false

  constructor(call: ProviderCall, beyond: ((candidate: JsonRecord) => Buffer[]) | null = null) {
    this.#call = call
    this.#beyond = beyond
    const { n } = call.request
    this.#choicesAsked = typeof n === 'number' ? n : 1
  }

  event(json: JsonRecord): Buffer[] {
    if (this.#isBroken) return []
    if (isRecord(json['error'])) return this.#fail(json)
    this.#events ??= new ChatEvents(headOf(json, this.#call))
    this.#usage = usageOf(json['usageMetadata']) ?? this.#usage
    const candidates = isBlocked(json) ? this.#refused : candidatesOf(json)
    const said = candidates.flatMap((candidate) => this.#candidate(candidate))
    return [...said, ...this.#usageNow()]
  }

  /** The closed connection is the only sign of the end. */
  end(): Buffer[] {
    const events = this.#events
    if (events === null || this.#isBroken || !this.#isWhole) return []
    const finishes = [...this.#choices].flatMap(([index, choice]) => {
      const reason = choice.given === '' ? null : choice.reason.end(reasonOf(choice))
      return reason === null ? [] : [events.finish(reason, index)]
    })
    return [...finishes, ...this.#tellUsage(events), DONE_EVENT]
  }

  /** The answer is complete, whatever the upstream does next. */
  get isSettled(): boolean {
    return this.#areAll(({ reason }) => reason.isSettled)
  }

  get #isWhole(): boolean {
    return this.#areAll(({ reason }) => reason.isGiven)
  }

  #areAll(isSo: (choice: Choice) => boolean): boolean {
    return [...this.#choices.values()].filter(isSo).length >= this.#choicesAsked
  }

  get #refused(): JsonRecord[] {
    const finishReason = 'PROHIBITED_CONTENT'
    return Array.from({ length: this.#choicesAsked }, (_none, index) => ({ index, finishReason }))
  }

  #fail(body: JsonRecord): Buffer[] {
    this.#isBroken = true
    return [errorEventOf(body)]
  }

  #candidate(candidate: JsonRecord): Buffer[] {
    const events = this.#events
    if (events === null || this.#isBroken) return []
    const index = indexOf(candidate)
    const known = this.#choices.get(index)
    const choice = known ?? { calls: 0, given: '', reason: new FinishReasonFilter() }
    this.#choices.set(index, choice)
    const failure = failureOf(candidate, choice.reason.hasSpoken)
    if (failure !== null) return this.#fail(failure)
    const said = saidBy(candidate)
    const beside = this.#beyond?.(candidate) ?? []
    if (said.length > 0 || beside.length > 0) choice.reason.speaks()
    const logprobs = logprobsOf(candidate['logprobsResult'])
    return [
      ...(known === undefined ? [events.delta({ role: 'assistant', content: '' }, index)] : []),
      ...said.map((one) => this.#say(events, one, { index, choice })),
      ...(logprobs === undefined ? [] : [events.delta({}, index, logprobs)]),
      ...beside,
      ...this.#finish(events, candidate, { index, choice }),
    ]
  }

  #say(
    events: ChatEvents,
    said: Said,
    { index, choice }: { index: number; choice: Choice },
  ): Buffer {
    switch (said.type) {
      case 'text':
        return events.text(said.text, index)
      case 'reasoning':
        return events.reasoning(said.text, index)
      case 'image':
        return events.delta({ images: [said.image] }, index)
      case 'signature':
        return events.delta(signatureMember(said.signature), index)
      case 'call': {
        const position = choice.calls
        choice.calls += 1
        const id = said.call.id ?? madeId(this.#call.id, index, position)
        return events.toolCall(position, { ...said.call, id }, index)
      }
    }
  }

  #finish(
    events: ChatEvents,
    candidate: JsonRecord,
    { index, choice }: { index: number; choice: Choice },
  ): Buffer[] {
    const given = textOf(candidate['finishReason'])
    if (given === '') return []
    choice.given = given
    const reason = choice.reason.give(reasonOf(choice), { atOnce: this.#beyond !== null })
    return reason === null ? [] : [events.finish(reason, index)]
  }

  /**
   * Counts grow with each event. The final counts are emitted, and emitted again if more follow.
   */
  #usageNow(): Buffer[] {
    const events = this.#events
    if (events === null || this.#usage === null) return []
    const isEnd = this.#beyond === null ? this.isSettled : this.#isWhole
    return isEnd ? this.#tellUsage(events) : events.usageSoFar(this.#usage)
  }

  #tellUsage(events: ChatEvents): Buffer[] {
    const usage = this.#usage
    if (usage === null || usage === this.#usageTold) return []
    this.#usageTold = usage
    return [events.usage(usage)]
  }
}

const reasonOf = ({ given, calls, reason }: Choice): FinishReason =>
  finishReasonOf({ finishReason: given }, { hasCalls: calls > 0, isEmpty: !reason.hasSpoken })
