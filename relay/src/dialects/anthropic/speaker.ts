import { isRecord, member, parseJson, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { blockData, SseSplitter } from '../../sse.ts'
import { NO_USAGE, parseUsage, type Usage } from '../../usage.ts'
import type { ClientError, NativeSpeaker, StreamSpeaker } from '../client-dialect.ts'
import { choicesOf, reportedUsage } from '../openai/answer.ts'
import { wordsOf } from '../openai/words.ts'
import { messageId, stopReason, thoughtBlock, usageOf } from './answer.ts'
import { errorText } from './errors.ts'
import { nativeEnd } from './native.ts'

/** The block that is open: of one kind, and of tool calls one each. */
type Open = { readonly kind: 'text' | 'thinking' | 'tool'; readonly call: number }

/** Says OpenAI's events as those of a Message: blocks one after the other, each begun and ended. */
export class MessageSpeaker implements StreamSpeaker {
  readonly native: NativeSpeaker = { pass: (events) => events, end: nativeEnd }
  readonly #splitter = new SseSplitter()
  #hasBegun = false
  #open: Open | null = null
  #index = -1
  #finishReason: unknown = null
  #callsTools = false
  #usage: Usage = NO_USAGE

  say(blocks: readonly Buffer[]): readonly Buffer[] {
    const events: string[] = []
    for (const block of blocks.flatMap((piece) => this.#splitter.push(piece))) {
      events.push(...this.#read(block))
    }
    return events.length === 0 ? [] : [Buffer.from(events.join(''))]
  }

  end(usageEvent: string): string {
    const events = usageEvent === '' ? [] : this.#read(Buffer.from(usageEvent))
    const begun = this.#begin({})
    const reason = stopReason(this.#finishReason, this.#callsTools)
    const delta = { stop_reason: reason, stop_sequence: null }
    return [
      ...begun,
      ...events,
      ...this.#close(),
      event('message_delta', { delta, usage: usageOf(this.#usage) }),
      event('message_stop', {}),
    ].join('')
  }

  fail(error: ClientError): string {
    return `event: error\ndata: ${errorText(error)}\n\n`
  }

  #read(block: Buffer): string[] {
    const data = blockData(block)
    const json = data === null ? null : parseJson(data.toString('utf8'))
    // A comment, which keeps the connection alive.
    if (!isRecord(json)) return this.#hasBegun ? [event('ping', {})] : []
    const usage = reportedUsage(json) ?? parseUsage(member(json, 'usage'))
    if (usage !== null) this.#usage = usage
    const [choice] = choicesOf(json)
    const reason = member(choice, 'finish_reason')
    if (typeof reason === 'string' && reason !== '') this.#finishReason = reason
    return [...this.#begin(json), ...this.#readDelta(member(choice, 'delta'))]
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

  #readDelta(delta: unknown): string[] {
    const thoughts = listOf(member(delta, 'thinking_blocks')).filter(isRecord)
    const { text: words, reasoning } = wordsOf(delta)
    const text = words + textOf(member(delta, 'refusal'))
    return [
      ...(reasoning === '' ? [] : this.#thought(reasoning)),
      ...thoughts.flatMap((thought) => this.#signed(thought)),
      ...(text === '' ? [] : this.#text(text)),
      ...listOf(member(delta, 'tool_calls')).flatMap((call) => this.#toolCall(call)),
    ]
  }

  #thought(thinking: string): string[] {
    const block = { type: 'thinking', thinking: '', signature: '' }
    return [
      ...this.#enter({ kind: 'thinking', call: 0 }, block),
      this.#delta({ type: 'thinking_delta', thinking }),
    ]
  }

  /** A whole block, whose text has been said already where there was any. */
  #signed(thought: JsonRecord): string[] {
    const { type, thinking, signature, data } = thoughtBlock(thought)
    if (type === 'redacted_thinking') {
      return [...this.#close(), ...this.#start({ type, data }), this.#stop()]
    }
    const isOpen = this.#open?.kind === 'thinking'
    const said = isOpen
      ? []
      : textOf(thinking) === ''
        ? this.#enterThought()
        : this.#thought(textOf(thinking))
    return [...said, this.#delta({ type: 'signature_delta', signature }), ...this.#close()]
  }

  #enterThought(): string[] {
    const block = { type: 'thinking', thinking: '', signature: '' }
    return this.#enter({ kind: 'thinking', call: 0 }, block)
  }

  #text(text: string): string[] {
    return [
      ...this.#enter({ kind: 'text', call: 0 }, { type: 'text', text: '' }),
      this.#delta({ type: 'text_delta', text }),
    ]
  }

  #toolCall(call: unknown): string[] {
    this.#callsTools = true
    const position = member(call, 'index')
    const named = member(call, 'function')
    const [id, name] = [textOf(member(call, 'id')), textOf(member(named, 'name'))]
    const piece = textOf(member(named, 'arguments'))
    const open: Open = { kind: 'tool', call: typeof position === 'number' ? position : 0 }
    return [
      ...this.#enter(open, { type: 'tool_use', id, name, input: {} }),
      ...(piece === '' ? [] : [this.#delta({ type: 'input_json_delta', partial_json: piece })]),
    ]
  }

  /** Goes on in the block that is open when it is that one, and else begins it. */
  #enter(wanted: Open, block: JsonRecord): string[] {
    if (this.#open?.kind === wanted.kind && this.#open.call === wanted.call) return []
    const events = [...this.#close(), ...this.#start(block)]
    this.#open = wanted
    return events
  }

  #start(block: JsonRecord): string[] {
    this.#index += 1
    return [event('content_block_start', { index: this.#index, content_block: block })]
  }

  #delta(delta: JsonRecord): string {
    return event('content_block_delta', { index: this.#index, delta })
  }

  #close(): string[] {
    if (this.#open === null) return []
    this.#open = null
    return [this.#stop()]
  }

  #stop(): string {
    return event('content_block_stop', { index: this.#index })
  }
}

const event = (type: string, rest: JsonRecord) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
