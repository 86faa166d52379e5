import {
  ChatEvents,
  DONE_EVENT,
  errorEventOf,
  type FinishReason,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { sseDecoder } from '../../codec/event-decoder.ts'
import { FinishReasonFilter } from '../../codec/finish-reason-filter.ts'
import type { ProviderCall, StreamDecoder } from '../../codec/provider-codec.ts'
import { ToolCallPieces } from '../../codec/tool-call-pieces.ts'
import { type JsonRecord, member, textOf } from '../../json-value.ts'
import {
  choicesOf,
  finishOf,
  headOf,
  logprobsOf,
  saidText,
  toolPiecesOf,
  usageOf,
} from './answer.ts'

/**
 * A stream ends when all its choices have a finish reason; there is no end marker. Every event
 * carries the usage.
 */
export function dashscopeDecoder(call: ProviderCall): StreamDecoder {
  const speakers = new Map<number, Speaker>()
  let events: ChatEvents | null = null
  let usage: ReportedUsage | null = null
  let isOver = false

  const event = (json: JsonRecord): Buffer[] => {
    if (isOver) return []
    const choices = choicesOf(json)
    if (choices.length === 0 && textOf(json['code']) !== '') {
      isOver = true
      return [errorEventOf(json)]
    }
    usage = usageOf(json['usage']) ?? usage
    const writer = (events ??= new ChatEvents(headOf(json, call)))
    const said = choices.flatMap((choice, position) => {
      const index = indexOf(choice, position)
      const known = speakers.get(index)
      const speaker = known ?? new Speaker(writer, index, call.id)
      if (known === undefined) speakers.set(index, speaker)
      return speaker.say(choice)
    })
    return [...said, ...writer.usageSoFar(usage)]
  }
  const end = (): Buffer[] => {
    const asked = typeof call.request['n'] === 'number' ? call.request['n'] : 1
    const all = [...speakers.values()]
    const finished = all.filter(({ isFinished }) => isFinished).length
    if (isOver || events === null || finished < asked) return []
    const reported = usage === null ? [] : [events.usage(usage)]
    return [...all.flatMap((speaker) => speaker.end()), ...reported, DONE_EVENT]
  }
  return sseDecoder({ event, end })
}

function indexOf(choice: unknown, position: number): number {
  const index = member(choice, 'index')
  return typeof index === 'number' ? index : position
}

class Speaker {
  readonly #events: ChatEvents
  readonly #index: number
  readonly #tools: ToolCallPieces
  readonly #reason = new FinishReasonFilter()
  #hasBegun = false

  constructor(events: ChatEvents, index: number, callId: string) {
    this.#events = events
    this.#index = index
    this.#tools = new ToolCallPieces(events, `${callId}-${index}`, index)
  }

  get isFinished(): boolean {
    return this.#reason.isGiven
  }

  say(choice: unknown): Buffer[] {
    const words = this.#words(choice)
    if (words.length > 0) this.#reason.speaks()
    const given = finishOf(member(choice, 'finish_reason'))
    const reason = given && this.#reason.give(given)
    return [...this.#opening(), ...words, ...this.#finish(reason)]
  }

  end(): Buffer[] {
    return this.#finish(this.#reason.end())
  }

  #finish(reason: FinishReason | null): Buffer[] {
    return reason === null ? [] : [this.#events.finish(reason, this.#index)]
  }

  #opening(): Buffer[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    return [this.#events.delta({ role: 'assistant', content: '' }, this.#index)]
  }

  #words(choice: unknown): Buffer[] {
    const message = member(choice, 'message')
    const reasoning = textOf(member(message, 'reasoning_content'))
    const text = saidText(message)
    return [
      ...(reasoning === '' ? [] : [this.#events.reasoning(reasoning, this.#index)]),
      ...(text === '' ? [] : [this.#events.text(text, this.#index, logprobsOf(choice))]),
      ...toolPiecesOf(message).flatMap((piece) => this.#tools.push(piece)),
    ]
  }
}
