import type { AnswerHead, FinishReason, ReportedUsage, ToolCall } from '../form/answer.ts'
import type { Seal, StreamEvent } from '../form/events.ts'
import { usageOf } from './chat-answer.ts'

/** Makes the events of one answer, for decoders. */
export class AnswerEvents {
  readonly #head: AnswerHead
  #sentUsageSoFar = false

  constructor(head: AnswerHead) {
    this.#head = head
  }

  start(choice = 0): StreamEvent {
    return { type: 'start', choice, head: this.#head }
  }

  text(text: string, choice = 0, logprobs?: unknown): StreamEvent {
    return { type: 'text', choice, text, logprobs }
  }

  reasoning(text: string, choice = 0): StreamEvent {
    return { type: 'reasoning', choice, text }
  }

  refusal(text: string, choice = 0): StreamEvent {
    return { type: 'refusal', choice, text }
  }

  seal(kind: Seal['kind'], value: unknown, choice = 0): StreamEvent {
    return { type: 'seal', choice, seal: { kind, value } }
  }

  image(image: unknown, choice = 0): StreamEvent {
    return { type: 'image', choice, image }
  }

  logprobs(logprobs: unknown, choice = 0): StreamEvent {
    return { type: 'logprobs', choice, logprobs }
  }

  /** Starts a tool call; `index` is its place in the choice. */
  toolCall(index: number, call: ToolCall, choice = 0): StreamEvent {
    const { id, name, input, isCustom = false, signature } = call
    return { type: 'tool-call', choice, index, id, name, input, isCustom, signature }
  }

  toolInput(index: number, input: string, choice = 0, isCustom = false): StreamEvent {
    const [id, name, signature] = ['', '', undefined]
    return { type: 'tool-call', choice, index, id, name, input, isCustom, signature }
  }

  finish(reason: FinishReason, choice = 0): StreamEvent {
    return { type: 'finish', choice, reason, stopSequence: null }
  }

  usage(usage: ReportedUsage): StreamEvent {
    return { type: 'usage', report: usageOf(usage), isFinal: true }
  }

  /**
   * Emits the first usage known mid-stream, once. It holds prompt tokens that the gateway cannot
   * count.
   */
  usageSoFar(usage: ReportedUsage | null): StreamEvent[] {
    if (usage === null || this.#sentUsageSoFar) return []
    this.#sentUsageSoFar = true
    return [{ type: 'usage', report: usageOf(usage), isFinal: false }]
  }
}
