import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import type { AnswerHead, StreamEvent } from '../../form/events.ts'
import { parseUsage, type Usage } from '../../usage/usage.ts'
import type {
  ClientError,
  FinalUsage,
  NativePassThrough,
  PassedStream,
  StreamEncoder,
} from '../client-dialect.ts'
import { finalReport, headOf, NO_HEAD } from '../openai-chat/final-usage.ts'
import { laterReason } from '../openai-chat/finish-reason.ts'
import { nativeEnd } from './native-form.ts'
import type { OutputEvent } from './open-item.ts'
import { Output } from './output.ts'
import { PassedEvents } from './passed-events.ts'
import type { ResponseContext } from './response-context.ts'
import { writeEvent } from './write-output.ts'
import {
  endState,
  incompleteReason,
  type ResponseHead,
  responseHead,
  responseText,
  type ResponseState,
  settingsOf,
} from './write-response.ts'

type StartedResponse = { readonly head: ResponseHead; readonly output: Output }

const TOO_MANY_REQUESTS = 429
const KEEP_ALIVE = ': keep-alive\n\n'
const TEXT_HEAD =
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":'
/** Codex gives up a stream without events; comments do not count. */
const KEEP_ALIVE_EVENT = { type: 'keepalive' }

/** Writes the events of an answer as those of a response, numbered from 0. */
export class ResponseStreamEncoder implements StreamEncoder {
  readonly #context: ResponseContext
  #started: StartedResponse | null = null
  #sequenceNumber = 0
  /** The JSON of the echoed settings; null before it is needed. */
  #settings: string | null = null
  #finishReason: string | null = null
  #usage: Usage | null = null
  readonly #passed: PassedEvents
  readonly native: NativePassThrough = {
    passThrough: (events) => {
      this.#passed.push(events)
      return events
    },
    passDelta: (event) => {
      this.#passed.count += 1
      return event
    },
    end: (events, usage) => {
      this.#passed.push(events)
      return nativeEnd(events, usage)
    },
  }

  constructor(context: ResponseContext) {
    this.#context = context
    this.#passed = new PassedEvents(context)
  }

  write(events: readonly StreamEvent[]): string {
    let text = ''
    for (const event of events) text += this.#textOf(event)
    return text
  }

  /** The response that the client has, with its text so far. */
  resume({ head, text }: PassedStream) {
    if (!this.#adoptPassed()) this.#start(head)
    this.write([{ type: 'text', choice: 0, text, logprobs: undefined }])
    this.#sequenceNumber = this.#passed.count
  }

  /** Continues a response whose beginning was passed through. */
  #adoptPassed(): boolean {
    if (this.#started !== null || this.#passed.count === 0) return false
    const response = this.#passed.response()
    const head = {
      id: textOf(member(response, 'id')).replace(/^resp_/, ''),
      created: Number(member(response, 'created_at')) || 0,
      model: textOf(member(response, 'model')),
      suffix: '',
    }
    const output = new Output(this.#context, head.id, this.#passed.firstItemId() || null)
    this.#started = { head, output }
    this.#sequenceNumber = this.#passed.count
    return true
  }

  end(final: FinalUsage | null): string {
    if (final !== null) this.#usage = parseUsage(finalReport(final)) ?? this.#usage
    const [before, started] = this.#start(final === null ? NO_HEAD : headOf(final.head))
    const reason = incompleteReason(this.#finishReason)
    const events = started.output.end(reason !== null)
    const state = endState(started.head, this.#context, {
      items: started.output.items,
      reason,
      usage: this.#usage,
    })
    const shown = this.#context.compacts ? state.output.flatMap(wholeItem) : events
    const said = this.#write(shown)
    return `${before}${said}${this.#lifecycle([`response.${state.status}`], started, state)}`
  }

  /** Some clients handle only `error`, others only `response.failed`. */
  error({ status, code: given, message, param = null }: ClientError): string {
    this.#adoptPassed()
    const [before, started] = this.#start(NO_HEAD)
    const code = status === TOO_MANY_REQUESTS ? 'rate_limit_exceeded' : given || 'server_error'
    const state = {
      status: 'failed',
      error: { code, message },
      usage: this.#usage,
      output: started.output.items,
      store: false,
    } as const
    const said = this.#write([{ type: 'error', code, message, param }])
    return `${before}${said}${this.#lifecycle(['response.failed'], started, state)}`
  }

  #textOf(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start(event.head)[0]
      case 'usage':
        this.#usage = parseUsage(event.report) ?? this.#usage
        return ''
      case 'finish':
        this.#finishReason = laterReason(this.#finishReason, event.reason)
        return ''
      case 'comment':
        return this.#started === null ? KEEP_ALIVE : this.#write([KEEP_ALIVE_EVENT])
      default: {
        const delta = this.#nextDelta(event)
        if (delta !== null) return delta
        const [before, { output }] = this.#start(NO_HEAD)
        const said = writeEvent(output, event)
        return this.#context.compacts ? before : before + this.#write(said)
      }
    }
  }

  /** Null for the first text of a part, and for other events. */
  #nextDelta(event: StreamEvent): string | null {
    if (event.type !== 'text' || event.logprobs !== undefined) return null
    if (this.#started === null || this.#context.compacts) return null
    const rest = this.#started.output.nextDelta(event.text)
    if (rest === null) return null
    this.#sequenceNumber += 1
    return `${TEXT_HEAD}${this.#sequenceNumber - 1}${rest}`
  }

  /** The first events, which are empty if the response has started before. */
  #start(given: AnswerHead): [string, StartedResponse] {
    if (this.#started !== null) return ['', this.#started]
    const head = responseHead(given, this.#context)
    const started = { head, output: new Output(this.#context, head.id) }
    this.#started = started
    const state = { status: 'in_progress', output: [], usage: null } as const
    return [this.#lifecycle(['response.created', 'response.in_progress'], started, state), started]
  }

  /** Events with the whole response. */
  #lifecycle(types: readonly string[], { head }: StartedResponse, state: ResponseState): string {
    const context = this.#context
    if (this.#settings === null || state.store !== undefined)
      this.#settings = JSON.stringify(settingsOf(context, state))
    const response = responseText(head, context, { state, settings: this.#settings })
    let text = ''
    for (const type of types) {
      text += `${headOfEvent(type, this.#sequenceNumber)},"response":${response}}\n\n`
      this.#sequenceNumber += 1
    }
    return text
  }

  #write(events: readonly OutputEvent[]): string {
    let text = ''
    for (const event of events) {
      text += eventText(event, this.#sequenceNumber)
      this.#sequenceNumber += 1
    }
    return text
  }
}

/** The number stands behind the type, which is the first member. */
function eventText(event: OutputEvent, sequenceNumber: number): string {
  const rest = JSON.stringify(event).slice(`{"type":"${event.type}"`.length)
  return `${headOfEvent(event.type, sequenceNumber)}${rest}\n\n`
}

const headOfEvent = (type: string, sequenceNumber: number) =>
  `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequenceNumber}`

const wholeItem = (item: JsonRecord, output_index: number): OutputEvent[] =>
  ['added', 'done'].map((what) => ({ type: `response.output_item.${what}`, output_index, item }))
