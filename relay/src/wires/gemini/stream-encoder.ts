import { type JsonRecord, textOf } from '../../bytes/json-value.ts'
import { blockData } from '../../bytes/sse.ts'
import { signatureOf } from '../../fit/google-signatures.ts'
import type { AnswerHead, Citation, Seal, StreamEvent } from '../../form/events.ts'
import { NestedJson } from '../../form/nested-json.ts'
import { parseUsage, type Usage } from '../../usage/usage.ts'
import type {
  ClientError,
  FinalUsage,
  NativePassThrough,
  PassedStream,
  StreamEncoder,
} from '../client-dialect.ts'
import { finalReport, headOf } from '../openai-chat/final-usage.ts'
import { laterReason } from '../openai-chat/finish-reason.ts'
import { ReasoningDetails } from '../openai-chat/reasoning-details.ts'
import { type ToolCallDelta, ToolCallDeltas } from '../openai-chat/tool-call-deltas.ts'
import { CITATIONS_MAX, groundingMember } from './grounding.ts'
import { withUsageAtEnd } from './native-form.ts'
import {
  type AnswerOptions,
  callPart,
  callSignature,
  contentOf,
  finishReasonOf,
  type GatheredCall,
  imageParts,
  logprobsMember,
  encryptedDetails,
  signedParts,
  usageMetadata,
} from './write-answer.ts'
import { errorOf } from './write-error.ts'

/** A choice during streaming. Its calls are sent at the end, since Google sends whole calls. */
type Choice = {
  finishReason: string | null
  readonly details: ReasoningDetails
  readonly toolCalls: ToolCallDeltas
  readonly calls: Map<number, GatheredCall>
  text: string
  citations: readonly Citation[]
}

type Options = AnswerOptions & {
  /** Server-sent events; otherwise a single JSON array. */
  readonly asEvents: boolean
}

export class ContentStreamEncoder implements StreamEncoder {
  readonly #options: Options
  readonly #choices = new Map<number, Choice>()
  #head: JsonRecord = {}
  /** The end of an event's JSON. */
  #headJson = '}'
  #usage: Usage | null = null
  #hasOutput = false
  readonly native: NativePassThrough = {
    passThrough: (events) =>
      this.#options.asEvents ? events : events.flatMap((event) => this.#itemOf(event)),
    passDelta: (event) => (this.#options.asEvents ? event : Buffer.concat(this.#itemOf(event))),
    end: (events, usage) => {
      const told = this.native.passThrough(withUsageAtEnd(events, usage))
      return Buffer.concat([...told, Buffer.from(this.#close())])
    },
  }

  constructor(options: Options) {
    this.#options = options
  }

  write(events: readonly StreamEvent[]): string {
    let text = ''
    for (const event of events) text += this.#textOf(event)
    return text
  }

  resume({ head, text }: PassedStream) {
    this.#setHead(head)
    this.write([{ type: 'text', choice: 0, text, logprobs: undefined }])
  }

  end(final: FinalUsage | null): string {
    if (final !== null) {
      this.#setHead(headOf(final.head))
      this.#usage = parseUsage(finalReport(final)) ?? this.#usage
    }
    if (this.#choices.size === 0) this.#choiceAt(0)
    for (const { calls, toolCalls } of this.#choices.values()) {
      for (const delta of toolCalls.end()) gather(calls, delta)
    }
    const nested = new NestedJson()
    const candidates = [...this.#choices]
      .toSorted(([a], [b]) => a - b)
      .map(([index, { calls, citations, details, finishReason, text }]) => ({
        content: contentOf([
          ...signedParts([], encryptedDetails(details, this.#options.cipher)),
          ...[...calls.values()].map((call) => callPart(call, nested)),
        ]),
        finishReason: finishReasonOf(finishReason),
        index,
        ...groundingMember(citations, text),
      }))
    const usage = this.#usage === null ? {} : { usageMetadata: usageMetadata(this.#usage) }
    return `${this.#encode({ candidates, ...usage, ...this.#head })}${this.#close()}`
  }

  error(error: ClientError): string {
    return `${this.#encode(errorOf(error).json)}${this.#close()}`
  }

  #textOf(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        this.#setHead(event.head)
        return ''
      case 'text':
        if (event.logprobs === undefined) return this.#text(event.choice, event.text)
        this.#choiceAt(event.choice).text += event.text
        return this.#candidate(event.choice, [{ text: event.text }], event.logprobs)
      case 'refusal':
        return this.#text(event.choice, event.text)
      case 'reasoning': {
        const { includeThoughts } = this.#options
        const part = { text: event.text, thought: true }
        return includeThoughts ? this.#candidate(event.choice, [part]) : ''
      }
      case 'citations':
        this.#cite(event.choice, event.citations)
        return ''
      case 'image':
        return this.#candidate(event.choice, imageParts(event.image))
      case 'logprobs':
        return this.#candidate(event.choice, [], event.logprobs)
      case 'seal':
        return this.#seal(event.choice, event.seal)
      case 'tool-call': {
        const choice = this.#choiceAt(event.choice)
        gather(choice.calls, choice.toolCalls.push(event))
        return ''
      }
      case 'usage':
        this.#usage = parseUsage(event.report) ?? this.#usage
        return ''
      case 'finish': {
        const choice = this.#choiceAt(event.choice)
        choice.finishReason = laterReason(choice.finishReason, event.reason)
        return ''
      }
      default:
        return ''
    }
  }

  #setHead({ id, model }: AnswerHead) {
    if (Object.keys(this.#head).length > 0) return
    this.#head = { modelVersion: model, responseId: id }
    this.#headJson = `,${JSON.stringify(this.#head).slice(1)}`
  }

  #seal(choice: number, { kind, value }: Seal): string {
    if (kind === 'reasoning_detail') this.#choiceAt(choice).details.push(value)
    if (kind !== 'signature') return ''
    const thoughtSignature = signatureOf({ extra_content: value })
    return thoughtSignature === '' ? '' : this.#candidate(choice, [{ text: '', thoughtSignature }])
  }

  #cite(index: number, citations: readonly Citation[]) {
    const choice = this.#choiceAt(index)
    if (choice.citations.length < CITATIONS_MAX)
      choice.citations = [...choice.citations, ...citations]
  }

  #text(index: number, text: string): string {
    this.#choiceAt(index).text += text
    const content = `{"role":"model","parts":[{"text":${JSON.stringify(text)}}]}`
    return this.#encoded(`{"candidates":[{"content":${content},"index":${index}}]${this.#headJson}`)
  }

  #candidate(index: number, parts: readonly JsonRecord[], logprobs?: unknown): string {
    this.#choiceAt(index)
    const more = logprobs === undefined ? {} : logprobsMember(logprobs)
    if (parts.length === 0 && Object.keys(more).length === 0) return ''
    const candidates = [{ content: contentOf(parts), index, ...more }]
    return this.#encode({ candidates, ...this.#head })
  }

  #choiceAt(index: number): Choice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const id = `${textOf(this.#head['responseId'])}_${index}`
    const choice: Choice = {
      finishReason: null,
      details: new ReasoningDetails(),
      toolCalls: new ToolCallDeltas(id),
      calls: new Map(),
      text: '',
      citations: [],
    }
    this.#choices.set(index, choice)
    return choice
  }

  #encode(json: JsonRecord): string {
    return this.#encoded(JSON.stringify(json))
  }

  #encoded(json: string): string {
    const separator = this.#separator()
    return this.#options.asEvents ? `data: ${json}\r\n\r\n` : `${separator}${json}`
  }

  /** The data of an event as an item of the array. */
  #itemOf(event: Buffer): readonly Buffer[] {
    const data = blockData(event)
    return data === null ? [] : [Buffer.from(this.#separator()), data]
  }

  #separator(): string {
    const isFirst = !this.#hasOutput
    this.#hasOutput = true
    return isFirst ? '[' : '\n,\n'
  }

  #close(): string {
    return this.#options.asEvents ? '' : '\n]'
  }
}

function gather(calls: Map<number, GatheredCall>, delta: ToolCallDelta | null): void {
  if (delta === null) return
  const { position, id, name, input, signature } = delta
  const args = (calls.get(position)?.args ?? '') + input
  calls.set(position, { id, name, args, signature: callSignature({ signature }) })
}
