import { jsonIn } from '../../json-parse.ts'
import { isRecord, type JsonRecord, member, textOf } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import type { ClientError, NativePassThrough, StreamEncoder } from '../client-dialect.ts'
import { choicesOf, reportedUsage } from '../openai/answer.ts'
import { laterReason } from '../openai/finish-reason.ts'
import { nativeEnd } from './native.ts'
import type { OutputEvent } from './open-item.ts'
import { Output } from './output.ts'
import { PassedEvents } from './passed-events.ts'
import type { ResponseContext } from './response-context.ts'
import {
  endState,
  headOf,
  incompleteReason,
  type ResponseHead,
  responseOf,
  type ResponseState,
} from './response.ts'
import { writeDelta } from './write-output.ts'

type StartedResponse = { readonly head: ResponseHead; readonly output: Output }

const TOO_MANY_REQUESTS = 429
const KEEP_ALIVE = ': keep-alive\n\n'
/** Codex gives up a stream without events; comments do not count. */
const KEEP_ALIVE_EVENT = { type: 'keepalive' }

/** Encodes chat completion events as events of a response, numbered from 0. */
export class ResponseStreamEncoder implements StreamEncoder {
  readonly #context: ResponseContext
  readonly #splitter = new SseSplitter()
  #started: StartedResponse | null = null
  #sequenceNumber = 0
  #finishReason: string | null = null
  #usage: Usage | null = null
  readonly #passed: PassedEvents
  readonly native: NativePassThrough = {
    passThrough: (events) => {
      this.#passed.push(events)
      return events
    },
    end: (events, usage) => {
      this.#passed.push(events)
      return nativeEnd(events, usage)
    },
  }

  constructor(context: ResponseContext) {
    this.#context = context
    this.#passed = new PassedEvents(context.keepItems)
  }

  write(blocks: readonly Buffer[]): readonly Buffer[] {
    const isContinuation = this.#adoptPassed()
    const written = this.#writeBlocks(blocks)
    if (!isContinuation) return written
    // The client already has what the blocks say.
    this.#sequenceNumber = this.#passed.count
    return []
  }

  /** Continues a response whose beginning was passed through. */
  #adoptPassed(): boolean {
    if (this.#started !== null || this.#passed.count === 0) return false
    const response = this.#passed.response()
    const head = {
      id: textOf(member(response, 'id')).replace(/^resp_/, ''),
      created: Number(member(response, 'created_at')) || 0,
      model: textOf(member(response, 'model')),
    }
    const output = new Output(this.#context, head.id, this.#passed.firstItemId() || null)
    this.#started = { head, output }
    this.#sequenceNumber = this.#passed.count
    return true
  }

  #writeBlocks(blocks: readonly Buffer[]): readonly Buffer[] {
    const texts = blocks
      .flatMap((piece) => this.#splitter.push(piece))
      .map((block) => this.#read(block))
    const text = texts.join('')
    return text === '' ? [] : [Buffer.from(text)]
  }

  end(usageEvent: string): string {
    const said = usageEvent === '' ? '' : this.#read(Buffer.from(usageEvent))
    const [startEvents, started] = this.#start({})
    const reason = incompleteReason(this.#finishReason)
    const events = started.output.end(reason !== null)
    const state = endState(started.head, this.#context, {
      items: started.output.items,
      reason,
      usage: this.#usage,
    })
    const ended = this.#lifecycle(`response.${state.status}`, started, state)
    const shown = this.#context.compacts ? state.output.flatMap(wholeItem) : events
    return said + this.#write([...startEvents, ...shown, ended])
  }

  /** Some clients handle only `error`, others only `response.failed`. */
  error({ status, code: given, message, param = null }: ClientError): string {
    this.#adoptPassed()
    const [startEvents, started] = this.#start({})
    const code = status === TOO_MANY_REQUESTS ? 'rate_limit_exceeded' : given || 'server_error'
    const state = {
      status: 'failed',
      error: { code, message },
      usage: this.#usage,
      output: started.output.items,
    } as const
    const failed = this.#lifecycle('response.failed', started, state)
    return this.#write([...startEvents, { type: 'error', code, message, param }, failed])
  }

  #read(block: Buffer): string {
    const data = blockData(block)
    if (data === null) return this.#started === null ? KEEP_ALIVE : this.#write([KEEP_ALIVE_EVENT])
    const json = jsonIn(data)
    if (!isRecord(json)) return ''
    const usage = reportedUsage(json) ?? parseUsage(member(json, 'usage'))
    if (usage !== null) this.#usage = usage
    const [choice] = choicesOf(json)
    this.#finishReason = laterReason(this.#finishReason, member(choice, 'finish_reason'))
    const [startEvents, { output }] = this.#start(json)
    const said = writeDelta(output, member(choice, 'delta'), member(choice, 'logprobs'))
    return this.#write(this.#context.compacts ? startEvents : [...startEvents, ...said])
  }

  #start(json: unknown): [OutputEvent[], StartedResponse] {
    if (this.#started !== null) return [[], this.#started]
    const head = headOf(json)
    const started = { head, output: new Output(this.#context, head.id) }
    this.#started = started
    const state = { status: 'in_progress', output: [], usage: null } as const
    const events = ['response.created', 'response.in_progress'].map((type) =>
      this.#lifecycle(type, started, state),
    )
    return [events, started]
  }

  #lifecycle(type: string, { head }: StartedResponse, state: ResponseState): OutputEvent {
    return { type, response: responseOf(head, this.#context, state) }
  }

  #write(events: readonly OutputEvent[]): string {
    return events
      .map(({ type, ...rest }) => {
        const data = JSON.stringify({ type, sequence_number: this.#sequenceNumber, ...rest })
        this.#sequenceNumber += 1
        return `event: ${type}\ndata: ${data}\n\n`
      })
      .join('')
  }
}

const wholeItem = (item: JsonRecord, output_index: number): OutputEvent[] =>
  ['added', 'done'].map((what) => ({ type: `response.output_item.${what}`, output_index, item }))
