import {
  ChatEvents,
  DONE_EVENT,
  errorEventOf,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { sseDecoder, type EventReader } from '../../codec/event-decoder.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { wordless } from '../../codec/wordless.ts'
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

/** The same for a client that is given the answer's own events. */
export function nativeReader(call: ProviderCall): EventReader {
  const reader = new CandidatesReader(call)
  return {
    event: (json) => reader.event(json, candidatesOf(json).flatMap(beyond)),
    end: () => reader.end(),
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

/** What OpenAI's form has no word for: code and its results, say, and where a text comes from. */
function beyond(candidate: JsonRecord): Buffer[] {
  const own = listOf(member(candidate['content'], 'parts'))
    .filter(isRecord)
    .filter((part) => !Object.keys(part).every((name) => PARTS.has(name)))
    .map((part) => wordless(textOf(member(part['executableCode'], 'code'))))
  const isKnown = Object.keys(candidate).every((name) => MEMBERS.has(name))
  return isKnown ? own : [...own, wordless()]
}

type Choice = { calls: number; hasSpoken: boolean; isFinished: boolean }

/** The candidates of one answer as they come; each event has new parts only. */
class CandidatesReader implements EventReader {
  readonly #call: ProviderCall
  readonly #choicesAsked: number
  readonly #choices = new Map<number, Choice>()
  #events: ChatEvents | null = null
  #usage: ReportedUsage | null = null
  #usageTold: ReportedUsage | null = null
  #isBroken = false

  constructor(call: ProviderCall) {
    this.#call = call
    const { n } = call.request
    this.#choicesAsked = typeof n === 'number' ? n : 1
  }

  /** `beside` is what else it says: before its usage, which is that of all of it. */
  event(json: JsonRecord, beside: readonly Buffer[] = []): Buffer[] {
    if (this.#isBroken) return []
    if (isRecord(json['error'])) return this.#fail(json)
    this.#events ??= new ChatEvents(headOf(json, this.#call))
    this.#usage = usageOf(json['usageMetadata']) ?? this.#usage
    const said = isBlocked(json)
      ? this.#refuse(this.#events)
      : candidatesOf(json).flatMap((candidate) => this.#candidate(candidate))
    return [...said, ...beside, ...this.#tellUsage()]
  }

  /** There is no other sign of the end than that the connection is closed. */
  end(): Buffer[] {
    return this.#isWhole && !this.#isBroken ? [DONE_EVENT] : []
  }

  get #isWhole(): boolean {
    const finished = [...this.#choices.values()].filter(({ isFinished }) => isFinished)
    return finished.length >= this.#choicesAsked
  }

  #fail(body: JsonRecord): Buffer[] {
    this.#isBroken = true
    return [errorEventOf(body)]
  }

  #refuse(events: ChatEvents): Buffer[] {
    return Array.from({ length: this.#choicesAsked }, (_none, index) => {
      this.#choices.set(index, { calls: 0, hasSpoken: false, isFinished: true })
      return [
        events.delta({ role: 'assistant', content: '' }, index),
        events.finish('content_filter', index),
      ]
    }).flat()
  }

  #candidate(candidate: JsonRecord): Buffer[] {
    const events = this.#events
    const index = indexOf(candidate)
    const known = this.#choices.get(index)
    if (events === null || this.#isBroken || known?.isFinished === true) return []
    const choice = known ?? { calls: 0, hasSpoken: false, isFinished: false }
    this.#choices.set(index, choice)
    const failure = failureOf(candidate, choice.hasSpoken)
    if (failure !== null) return this.#fail(failure)
    const said = saidBy(candidate)
    choice.hasSpoken ||= said.length > 0
    const logprobs = logprobsOf(candidate['logprobsResult'])
    return [
      ...(known === undefined ? [events.delta({ role: 'assistant', content: '' }, index)] : []),
      ...said.map((one) => this.#say(events, one, { index, choice })),
      ...(logprobs === undefined ? [] : [events.delta({}, index, logprobs)]),
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
    const { finishReason } = candidate
    if (typeof finishReason !== 'string' || finishReason === '') return []
    choice.isFinished = true
    const { calls, hasSpoken } = choice
    const reason = finishReasonOf(candidate, { hasCalls: calls > 0, isEmpty: !hasSpoken })
    return [events.finish(reason, index)]
  }

  /** Counts grow with each event; those at the end are told, and again should any come after it. */
  #tellUsage(): Buffer[] {
    const usage = this.#usage
    if (this.#events === null || usage === null) return []
    if (!this.#isWhole) return this.#events.usageSoFar(usage)
    if (usage === this.#usageTold) return []
    this.#usageTold = usage
    return [this.#events.usage(usage)]
  }
}
