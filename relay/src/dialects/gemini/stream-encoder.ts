import { jsonIn } from '../../json-parse.ts'
import { isRecord, member, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { NestedJson } from '../../nested-json.ts'
import { signatureOf } from '../../providers/google-gemini/signatures.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { parseUsage, type Usage } from '../../usage.ts'
import type { ClientError, NativePassThrough, StreamEncoder } from '../client-dialect.ts'
import { choicesOf, reportedUsage } from '../openai/answer.ts'
import { laterReason } from '../openai/finish-reason.ts'
import { ReasoningDetails } from '../openai/reasoning-details.ts'
import { type ToolCallDelta, ToolCallDeltas } from '../openai/tool-call-deltas.ts'
import {
  callPart,
  contentOf,
  finishReasonOf,
  type GatheredCall,
  logprobsMember,
  sealedDetails,
  signedParts,
  outputParts,
  usageMetadata,
} from './answer.ts'
import { errorOf } from './errors.ts'
import { withUsageAtEnd } from './native.ts'

/** A choice during streaming. Its calls are sent at the end, since Google sends whole calls. */
type Choice = {
  finishReason: string | null
  readonly details: ReasoningDetails
  readonly toolCalls: ToolCallDeltas
  readonly calls: Map<number, GatheredCall>
}

type Options = {
  /** Server-sent events; otherwise a single JSON array. */
  readonly asEvents: boolean
  readonly includeThoughts: boolean
}

export class ContentStreamEncoder implements StreamEncoder {
  readonly #options: Options
  readonly #splitter = new SseSplitter()
  readonly #choices = new Map<number, Choice>()
  #head: JsonRecord = {}
  #usage: Usage | null = null
  #hasOutput = false
  readonly native: NativePassThrough = {
    passThrough: (events) => events.flatMap((event) => this.#passThrough(event)),
    end: (events, usage) => {
      const told = withUsageAtEnd(events, usage).flatMap((event) => this.#passThrough(event))
      return Buffer.concat([...told, Buffer.from(this.#close())])
    },
  }

  constructor(options: Options) {
    this.#options = options
  }

  write(blocks: readonly Buffer[]): readonly Buffer[] {
    const events = blocks
      .flatMap((piece) => this.#splitter.push(piece))
      .map((block) => this.#read(block))
    const text = events.join('')
    return text === '' ? [] : [Buffer.from(text)]
  }

  end(usageEvent: string): string {
    const usageText = usageEvent === '' ? '' : this.#read(Buffer.from(usageEvent))
    if (this.#choices.size === 0) this.#choiceAt(0)
    for (const { calls, toolCalls } of this.#choices.values()) {
      for (const delta of toolCalls.end()) gather(calls, delta)
    }
    const nested = new NestedJson()
    const candidates = [...this.#choices]
      .toSorted(([a], [b]) => a - b)
      .map(([index, { calls, details, finishReason }]) => ({
        content: contentOf([
          ...signedParts([], sealedDetails(details)),
          ...[...calls.values()].map((call) => callPart(call, nested)),
        ]),
        finishReason: finishReasonOf(finishReason),
        index,
      }))
    const usage = this.#usage === null ? {} : { usageMetadata: usageMetadata(this.#usage) }
    return `${usageText}${this.#encode({ candidates, ...usage, ...this.#head })}${this.#close()}`
  }

  error(error: ClientError): string {
    return `${this.#encode(errorOf(error).json)}${this.#close()}`
  }

  #read(block: Buffer): string {
    const data = blockData(block)
    const json = data === null ? null : jsonIn(data)
    if (!isRecord(json)) return ''
    const { model, id } = json
    if (Object.keys(this.#head).length === 0) {
      this.#head = { modelVersion: textOf(model), responseId: textOf(id) }
    }
    this.#usage = reportedUsage(json) ?? parseUsage(json['usage']) ?? this.#usage
    const candidates = choicesOf(json).flatMap((choice) => this.#candidate(choice))
    return candidates.length === 0 ? '' : this.#encode({ candidates, ...this.#head })
  }

  #candidate(given: JsonRecord): JsonRecord[] {
    const { index: position, delta, finish_reason: reason, logprobs } = given
    const index = typeof position === 'number' ? position : 0
    const choice = this.#choiceAt(index)
    choice.finishReason = laterReason(choice.finishReason, reason)
    choice.details.push(delta)
    for (const call of listOf(member(delta, 'tool_calls'))) {
      gather(choice.calls, choice.toolCalls.push(call))
    }
    const unsignedParts = outputParts(delta, this.#options.includeThoughts)
    const parts = signedParts(unsignedParts, signatureOf(delta))
    const told = logprobsMember(logprobs)
    if (parts.length === 0 && Object.keys(told).length === 0) return []
    return [{ content: contentOf(parts), index, ...told }]
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
    }
    this.#choices.set(index, choice)
    return choice
  }

  #encode(json: JsonRecord): string {
    const separator = this.#separator()
    if (this.#options.asEvents) return `data: ${JSON.stringify(json)}\r\n\r\n`
    return `${separator}${JSON.stringify(json)}`
  }

  /** The event unchanged, or its data as an array item. */
  #passThrough(event: Buffer): readonly Buffer[] {
    if (this.#options.asEvents) return [event]
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
  calls.set(position, { id, name, args, signature: signatureOf({ extra_content: signature }) })
}
