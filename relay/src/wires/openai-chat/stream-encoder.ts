import { type JsonRecord, stringifyOrEmpty } from '../../bytes/json-value.ts'
import type { AnswerHead, Seal, StreamEvent, ToolCallEvent } from '../../form/events.ts'
import { chatAnnotations } from '../annotations.ts'
import type { FinalUsage, PassedStream, StreamEncoder } from '../client-dialect.ts'
import { toolCallOf } from './chat-answer.ts'
import { finalReport } from './final-usage.ts'
import { errorEvent } from './write-error.ts'

/** Writes events as chunks of chat completions. Streams of that API pass through instead. */
export class ChunkEncoder implements StreamEncoder {
  #head: Partial<AnswerHead> = {}
  /** A chunk up to the index of its choice. */
  #prefix = ''
  readonly #started = new Set<number>()
  readonly #calling = new Set<number>()
  readonly error = errorEvent

  write(events: readonly StreamEvent[]): string {
    let text = ''
    for (const event of events) text += this.#chunkOf(event)
    return text
  }

  resume({ head }: PassedStream) {
    this.#setHead(head)
    this.#started.add(0)
  }

  end(usage: FinalUsage | null): string {
    return `${usage === null ? '' : usageChunk(usage)}data: [DONE]\n\n`
  }

  #chunkOf(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start(event.choice, event.head)
      case 'text': {
        const { text, choice, logprobs } = event
        if (logprobs !== undefined) return this.#delta(choice, { content: text }, logprobs)
        const content = JSON.stringify(text)
        return `${this.#prefix}${choice},"delta":{"content":${content}},"finish_reason":null}]}\n\n`
      }
      case 'reasoning':
        return this.#delta(event.choice, { reasoning_content: event.text })
      case 'refusal':
        return this.#delta(event.choice, { refusal: event.text })
      case 'seal':
        return this.#delta(event.choice, sealMember(event.seal))
      case 'tool-call':
        this.#calling.add(event.choice)
        return this.#delta(event.choice, { tool_calls: [callOf(event)] })
      case 'image':
        return this.#delta(event.choice, { images: [event.image] })
      case 'logprobs':
        return this.#delta(event.choice, {}, event.logprobs)
      case 'citations': {
        const annotations = chatAnnotations(event.citations)
        return annotations.length === 0 ? '' : this.#delta(event.choice, { annotations })
      }
      case 'other':
        return this.#delta(event.choice, event.delta)
      case 'finish':
        return this.#finish(event.choice, event.reason)
      case 'comment':
        return ': keep-alive\n\n'
      default:
        return ''
    }
  }

  #start(choice: number, head: AnswerHead): string {
    this.#setHead(head)
    if (this.#started.has(choice)) return ''
    this.#started.add(choice)
    return this.#delta(choice, { role: 'assistant', content: '' })
  }

  #setHead({ id, created, model }: AnswerHead) {
    this.#head = { id, created, model }
    const head = JSON.stringify({ ...this.#head, object: CHUNK })
    this.#prefix = `data: ${head.slice(0, -1)},"choices":[{"index":`
  }

  #delta(index: number, delta: JsonRecord, logprobs?: unknown): string {
    return this.#chunk({ index, delta, logprobs, finish_reason: null })
  }

  /** Agents go by the reason: it says whether the choice calls tools. */
  #finish(index: number, reason: string): string {
    const calls = this.#calling.has(index)
    const isOrdinary = reason === 'stop' || reason === 'tool_calls'
    const ordinary = calls ? 'tool_calls' : 'stop'
    return this.#chunk({ index, delta: {}, finish_reason: isOrdinary ? ordinary : reason })
  }

  #chunk(choice: JsonRecord): string {
    return dataText({ ...this.#head, object: CHUNK, choices: [choice] })
  }
}

const CHUNK = 'chat.completion.chunk'

const SEAL_MEMBERS = {
  thinking_block: (value: unknown) => ({ thinking_blocks: [value] }),
  reasoning_detail: (value: unknown) => ({ reasoning_details: [value] }),
  signature: (value: unknown) => ({ extra_content: value }),
} as const

const sealMember = ({ kind, value }: Seal): JsonRecord => SEAL_MEMBERS[kind](value)

function callOf(event: ToolCallEvent): JsonRecord {
  const { index, id, name, input, isCustom } = event
  if (id !== '' || name !== '') return { index, ...toolCallOf(event) }
  return { index, ...(isCustom ? { custom: { input } } : { function: { arguments: input } }) }
}

const usageChunk = (usage: FinalUsage): string =>
  dataText({ ...usage.head, object: CHUNK, choices: [], usage: finalReport(usage) })

/** A provider's value that is nested too deep cannot be written. */
function dataText(chunk: JsonRecord): string {
  const json = stringifyOrEmpty(chunk)
  return json === '' ? '' : `data: ${json}\n\n`
}
