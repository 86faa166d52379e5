import { jsonIn } from '../../json-parse.ts'
import { isRecord, member, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { NO_USAGE, parseUsage, type Usage } from '../../usage.ts'
import type { ClientError, NativeSpeaker, StreamSpeaker } from '../client-dialect.ts'
import { choicesOf, reportedUsage } from '../openai/answer.ts'
import { ToolCallDeltas } from '../openai/tool-call-deltas.ts'
import { wordsOf } from '../openai/words.ts'
import { messageId, stopReason, usageOf } from './answer.ts'
import { Blocks, event } from './blocks.ts'
import { errorText } from './errors.ts'
import { nativeEnd } from './native.ts'

export class MessageSpeaker implements StreamSpeaker {
  readonly native: NativeSpeaker = { pass: (events) => events, end: nativeEnd }
  readonly #splitter = new SseSplitter()
  #hasBegun = false
  readonly #blocks = new Blocks()
  #calls: ToolCallDeltas | null = null
  #finishReason: unknown = null
  #usage: Usage = NO_USAGE

  say(blocks: readonly Buffer[]): readonly Buffer[] {
    const events = blocks
      .flatMap((piece) => this.#splitter.push(piece))
      .flatMap((block) => this.#read(block))
    return events.length === 0 ? [] : [Buffer.from(events.join(''))]
  }

  end(usageEvent: string): string {
    const events = usageEvent === '' ? [] : this.#read(Buffer.from(usageEvent))
    const begun = this.#begin({})
    const reason = stopReason(this.#finishReason, this.#blocks.callsTools)
    const delta = { stop_reason: reason, stop_sequence: null }
    return [
      ...begun,
      ...events,
      ...this.#blocks.end(),
      event('message_delta', { delta, usage: usageOf(this.#usage) }),
      event('message_stop', {}),
    ].join('')
  }

  fail(error: ClientError): string {
    return `event: error\ndata: ${errorText(error)}\n\n`
  }

  #read(block: Buffer): string[] {
    const data = blockData(block)
    const json = data === null ? null : jsonIn(data)
    // A keep-alive comment.
    if (!isRecord(json)) return this.#hasBegun ? [event('ping', {})] : []
    const usage = reportedUsage(json) ?? parseUsage(member(json, 'usage'))
    if (usage !== null) this.#usage = usage
    const [choice] = choicesOf(json)
    const reason = member(choice, 'finish_reason')
    if (typeof reason === 'string' && reason !== '') this.#finishReason = reason
    return [...this.#begin(json), ...this.#readDelta(json, member(choice, 'delta'))]
  }

  #begin(json: JsonRecord): string[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
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

  #readDelta(json: JsonRecord, delta: unknown): string[] {
    const thoughts = listOf(member(delta, 'thinking_blocks')).filter(isRecord)
    const { text: words, reasoning } = wordsOf(delta)
    this.#calls ??= new ToolCallDeltas(textOf(json['id']))
    const calls = this.#calls
    return [
      ...this.#blocks.thought(reasoning),
      ...thoughts.flatMap((thought) => this.#blocks.signedThought(thought)),
      ...this.#blocks.text(words + textOf(member(delta, 'refusal'))),
      ...listOf(member(delta, 'tool_calls')).flatMap((given) => {
        const piece = calls.push(given)
        return piece === null ? [] : this.#blocks.call(piece)
      }),
    ]
  }
}
