import { jsonIn } from '../../json-parse.ts'
import { isRecord, member } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import type { ClientError, StreamSpeaker } from '../client-dialect.ts'
import { choicesOf, reportedUsage } from '../openai/answer.ts'
import type { Asked } from './asked.ts'
import type { OutputEvent } from './open-item.ts'
import { Output } from './output.ts'
import {
  headOf,
  incompleteReason,
  type ResponseHead,
  responseOf,
  type ResponseState,
} from './response.ts'
import { sayDelta } from './said.ts'

type Begun = { readonly head: ResponseHead; readonly output: Output }

const TOO_MANY = 429
const KEEP_ALIVE = ': keep-alive\n\n'

/** Encodes chat completion events as events of a response, numbered from 0. */
export class ResponseSpeaker implements StreamSpeaker {
  readonly #asked: Asked
  readonly #splitter = new SseSplitter()
  #begun: Begun | null = null
  #number = 0
  #finishReason: unknown = null
  #usage: Usage | null = null

  constructor(asked: Asked) {
    this.#asked = asked
  }

  say(blocks: readonly Buffer[]): readonly Buffer[] {
    const texts = blocks
      .flatMap((piece) => this.#splitter.push(piece))
      .map((block) => this.#read(block))
    const text = texts.join('')
    return text === '' ? [] : [Buffer.from(text)]
  }

  end(usageEvent: string): string {
    const said = usageEvent === '' ? '' : this.#read(Buffer.from(usageEvent))
    const [beginning, begun] = this.#begin({})
    const reason = incompleteReason(this.#finishReason)
    const status = reason === null ? 'completed' : 'incomplete'
    const events = [...beginning, ...begun.output.end(reason !== null)]
    const state = { status, reason, usage: this.#usage, output: begun.output.items } as const
    return said + this.#write([...events, this.#lifecycle(`response.${status}`, begun, state)])
  }

  /** Some clients handle only `error`, others only `response.failed`. */
  fail({ status, code: given, message, param = null }: ClientError): string {
    const [beginning, begun] = this.#begin({})
    const code = status === TOO_MANY ? 'rate_limit_exceeded' : given || 'server_error'
    const state = {
      status: 'failed',
      error: { code, message },
      usage: this.#usage,
      output: begun.output.items,
    } as const
    const failed = this.#lifecycle('response.failed', begun, state)
    return this.#write([...beginning, { type: 'error', code, message, param }, failed])
  }

  #read(block: Buffer): string {
    const data = blockData(block)
    if (data === null) return KEEP_ALIVE
    const json = jsonIn(data)
    if (!isRecord(json)) return ''
    const usage = reportedUsage(json) ?? parseUsage(member(json, 'usage'))
    if (usage !== null) this.#usage = usage
    const [choice] = choicesOf(json)
    const reason = member(choice, 'finish_reason')
    if (typeof reason === 'string' && reason !== '') this.#finishReason = reason
    const [beginning, { output }] = this.#begin(json)
    const said = sayDelta(output, member(choice, 'delta'), member(choice, 'logprobs'))
    return this.#write([...beginning, ...said])
  }

  #begin(json: unknown): [OutputEvent[], Begun] {
    if (this.#begun !== null) return [[], this.#begun]
    const head = headOf(json)
    const begun = { head, output: new Output(this.#asked, head.id) }
    this.#begun = begun
    const state = { status: 'in_progress', output: [], usage: null } as const
    const events = ['response.created', 'response.in_progress'].map((type) =>
      this.#lifecycle(type, begun, state),
    )
    return [events, begun]
  }

  #lifecycle(type: string, { head }: Begun, state: ResponseState): OutputEvent {
    return { type, response: responseOf(head, this.#asked, state) }
  }

  #write(events: readonly OutputEvent[]): string {
    return events
      .map(({ type, ...rest }) => {
        const data = JSON.stringify({ type, sequence_number: this.#number, ...rest })
        this.#number += 1
        return `event: ${type}\ndata: ${data}\n\n`
      })
      .join('')
  }
}
