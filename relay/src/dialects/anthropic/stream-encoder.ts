import { jsonIn } from '../../json-parse.ts'
import { isRecord, member, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { NO_USAGE, parseUsage, type Usage } from '../../usage.ts'
import type { ClientError, NativePassThrough, StreamEncoder } from '../client-dialect.ts'
import { choicesOf, reportedUsage } from '../openai/answer.ts'
import { laterReason, matchedSequence } from '../openai/finish-reason.ts'
import { ReasoningDetails, sealDetails } from '../openai/reasoning-details.ts'
import { textAndReasoning } from '../openai/text-and-reasoning.ts'
import { ToolCallDeltas } from '../openai/tool-call-deltas.ts'
import { messageId, stopOf, usageOf } from './answer.ts'
import { Blocks, event } from './blocks.ts'
import { errorText } from './errors.ts'
import { nativeEnd } from './native.ts'

export class MessageStreamEncoder implements StreamEncoder {
  readonly native: NativePassThrough = { passThrough: (events) => events, end: nativeEnd }
  readonly #splitter = new SseSplitter()
  #hasStarted = false
  readonly #blocks = new Blocks()
  readonly #details = new ReasoningDetails()
  #calls: ToolCallDeltas | null = null
  #finishReason: string | null = null
  #stopSequence: string | null = null
  #usage: Usage = NO_USAGE

  write(blocks: readonly Buffer[]): readonly Buffer[] {
    const events = blocks
      .flatMap((toolCallDelta) => this.#splitter.push(toolCallDelta))
      .flatMap((block) => this.#read(block))
    return events.length === 0 ? [] : [Buffer.from(events.join(''))]
  }

  end(usageEvent: string): string {
    const events = usageEvent === '' ? [] : this.#read(Buffer.from(usageEvent))
    const started = this.#start({})
    const delta = stopOf({
      finishReason: this.#finishReason,
      callsTools: this.#blocks.callsTools,
      stopSequence: this.#stopSequence,
    })
    const calls = this.#calls?.end() ?? []
    return [
      ...started,
      ...events,
      ...calls.flatMap((call) => this.#blocks.call(call)),
      ...this.#sealedDetails(),
      ...this.#blocks.end(),
      event('message_delta', { delta, usage: usageOf(this.#usage) }),
      event('message_stop', {}),
    ].join('')
  }

  error(error: ClientError): string {
    return `event: error\ndata: ${errorText(error)}\n\n`
  }

  #read(block: Buffer): string[] {
    const data = blockData(block)
    const json = data === null ? null : jsonIn(data)
    // A keep-alive comment.
    if (!isRecord(json)) return this.#hasStarted ? [event('ping', {})] : []
    const usage = reportedUsage(json) ?? parseUsage(member(json, 'usage'))
    if (usage !== null) this.#usage = usage
    const [choice] = choicesOf(json)
    this.#finishReason = laterReason(this.#finishReason, member(choice, 'finish_reason'))
    this.#stopSequence ??= matchedSequence(choice)
    return [...this.#start(json), ...this.#readDelta(json, member(choice, 'delta'))]
  }

  #start(json: JsonRecord): string[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    const message = {
      id: messageId(json['id']),
      type: 'message',
      role: 'assistant',
      model: textOf(json['model']),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(this.#usage),
    }
    return [event('message_start', { message })]
  }

  #sealedDetails(): string[] {
    const entries = [...this.#details.entries, ...(this.#calls?.signatures ?? [])]
    if (entries.length === 0) return []
    const signature = sealDetails(entries)
    return this.#blocks.signedThinking({ type: 'thinking', thinking: '', signature })
  }

  #readDelta(json: JsonRecord, delta: unknown): string[] {
    const thinkingBlocks = listOf(member(delta, 'thinking_blocks')).filter(isRecord)
    const { text, reasoning } = textAndReasoning(delta)
    this.#details.push(delta)
    this.#calls ??= new ToolCallDeltas(textOf(json['id']))
    const calls = this.#calls
    return [
      ...this.#blocks.thinking(reasoning),
      ...thinkingBlocks.flatMap((block) => this.#blocks.signedThinking(block)),
      ...this.#blocks.text(text + textOf(member(delta, 'refusal'))),
      ...listOf(member(delta, 'tool_calls')).flatMap((call) => {
        const toolCallDelta = calls.push(call)
        return toolCallDelta === null ? [] : this.#blocks.call(toolCallDelta)
      }),
    ]
  }
}
