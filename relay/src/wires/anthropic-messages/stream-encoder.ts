import { isRecord } from '../../bytes/json-value.ts'
import type { ContentCipher } from '../../form/content-cipher.ts'
import type { AnswerHead, Seal, StreamEvent } from '../../form/events.ts'
import { NO_USAGE, parseUsage, type Usage } from '../../usage/usage.ts'
import type {
  ClientError,
  FinalUsage,
  NativePassThrough,
  PassedStream,
  StreamEncoder,
} from '../client-dialect.ts'
import { finalReport, headOf, NO_HEAD } from '../openai-chat/final-usage.ts'
import { laterReason } from '../openai-chat/finish-reason.ts'
import { encryptDetails, ReasoningDetails } from '../openai-chat/reasoning-details.ts'
import { ToolCallDeltas } from '../openai-chat/tool-call-deltas.ts'
import { blockCitations } from './citations.ts'
import { nativeEnd } from './native-form.ts'
import { messageId, stopOf, usageOf } from './write-answer.ts'
import { Blocks, event } from './write-blocks.ts'
import { errorText } from './write-error.ts'

export class MessageStreamEncoder implements StreamEncoder {
  readonly native: NativePassThrough = {
    passThrough: (events) => events,
    passDelta: (event) => event,
    end: nativeEnd,
  }
  #hasStarted = false
  /** The answer's id. */
  #id = ''
  readonly #blocks = new Blocks()
  readonly #details = new ReasoningDetails()
  #calls: ToolCallDeltas | null = null
  #finishReason: string | null = null
  #stopSequence: string | null = null
  #usage: Usage = NO_USAGE
  readonly #cipher: ContentCipher

  constructor(cipher: ContentCipher) {
    this.#cipher = cipher
  }

  write(events: readonly StreamEvent[]): string {
    let text = ''
    for (const event of events) text += this.#textOf(event)
    return text
  }

  resume({ head, text }: PassedStream) {
    this.#start(head)
    this.#blocks.text(text)
  }

  end(usage: FinalUsage | null): string {
    if (usage !== null) this.#usage = parseUsage(finalReport(usage)) ?? this.#usage
    const started = this.#start(usage === null ? NO_HEAD : headOf(usage.head))
    const delta = stopOf({
      finishReason: this.#finishReason,
      callsTools: this.#blocks.callsTools,
      stopSequence: this.#stopSequence,
    })
    const calls = this.#calls?.end() ?? []
    return [
      started,
      ...calls.flatMap((call) => this.#blocks.call(call)),
      ...this.#encryptedDetails(),
      ...this.#blocks.end(),
      event('message_delta', { delta, usage: usageOf(this.#usage) }),
      event('message_stop', {}),
    ].join('')
  }

  error(error: ClientError): string {
    return `event: error\ndata: ${errorText(error)}\n\n`
  }

  #textOf(given: StreamEvent): string {
    switch (given.type) {
      case 'start':
        return this.#start(given.head)
      case 'text':
      case 'refusal':
        return this.#blocks.text(given.text)
      case 'citations':
        return this.#blocks.cite(blockCitations(given.citations)).join('')
      case 'reasoning':
        return this.#blocks.thinking(given.text).join('')
      case 'seal':
        return this.#seal(given.seal).join('')
      case 'tool-call': {
        const call = this.#toolCalls.push(given)
        return call === null ? '' : this.#blocks.call(call).join('')
      }
      case 'usage':
        this.#usage = parseUsage(given.report) ?? this.#usage
        return ''
      case 'finish':
        this.#finishReason = laterReason(this.#finishReason, given.reason)
        this.#stopSequence ??= given.stopSequence
        return ''
      case 'comment':
        return this.#hasStarted ? event('ping', {}) : ''
      default:
        return ''
    }
  }

  #start({ id, model }: AnswerHead): string {
    if (this.#hasStarted) return ''
    this.#hasStarted = true
    this.#id = id
    const message = {
      id: messageId(id),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(this.#usage),
    }
    return event('message_start', { message })
  }

  #encryptedDetails(): string[] {
    const entries = [...this.#details.entries, ...(this.#calls?.signatures ?? [])]
    if (entries.length === 0) return []
    const signature = encryptDetails(entries, this.#cipher)
    return this.#blocks.signedThinking({ type: 'thinking', thinking: '', signature })
  }

  #seal({ kind, value }: Seal): string[] {
    if (!isRecord(value)) return []
    if (kind === 'thinking_block') return this.#blocks.signedThinking(value)
    if (kind === 'reasoning_detail') this.#details.push(value)
    return []
  }

  get #toolCalls(): ToolCallDeltas {
    this.#calls ??= new ToolCallDeltas(this.#id)
    return this.#calls
  }
}
