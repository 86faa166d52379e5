import { type JsonRecord, textOf } from '../bytes/json-value.ts'
import type { FinishReason, ReportedUsage, ToolCall } from '../form/answer.ts'
import type { AnswerHead, Citation, OutputItem, Seal, StreamEvent } from '../form/events.ts'
import { servedMembers } from '../usage/served.ts'

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

  text(text: string, choice = 0, logprobs?: unknown): OutputItem {
    return { type: 'text', choice, text, logprobs }
  }

  /** A text and the reasoning before it; either may be empty. */
  output(text: string, reasoning: string, choice = 0, logprobs?: unknown): OutputItem[] {
    return [
      ...(reasoning === '' ? [] : [this.reasoning(reasoning, choice)]),
      ...(text === '' ? [] : [this.text(text, choice, logprobs)]),
    ]
  }

  reasoning(text: string, choice = 0): OutputItem {
    return { type: 'reasoning', choice, text }
  }

  refusal(text: string, choice = 0): OutputItem {
    return { type: 'refusal', choice, text }
  }

  seal(kind: Seal['kind'], value: unknown, choice = 0): OutputItem {
    return { type: 'seal', choice, seal: { kind, value } }
  }

  citations(citations: readonly Citation[], choice = 0): OutputItem[] {
    return citations.length === 0 ? [] : [{ type: 'citations', choice, citations }]
  }

  image(image: unknown, choice = 0): OutputItem {
    return { type: 'image', choice, image }
  }

  logprobs(logprobs: unknown, choice = 0): StreamEvent {
    return { type: 'logprobs', choice, logprobs }
  }

  /** Starts a tool call; `index` is its place in the choice. */
  toolCall(index: number, call: ToolCall, choice = 0): OutputItem {
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
    return { type: 'usage', report: reportOf(usage), isFinal: true }
  }

  /**
   * Emits the first usage known mid-stream, once. It holds prompt tokens that the gateway cannot
   * count.
   */
  usageSoFar(usage: ReportedUsage | null): StreamEvent[] {
    if (usage === null || this.#sentUsageSoFar) return []
    this.#sentUsageSoFar = true
    return [{ type: 'usage', report: reportOf(usage), isFinal: false }]
  }
}

/** What a provider says of its answer. The call stands in for what is absent. */
type GivenHead = { readonly id?: unknown; readonly created?: unknown; readonly model?: unknown }

type Call = { readonly id: string; readonly model: string; readonly now: number }

export function answerEvents(call: Call, { id, created, model }: GivenHead = {}): AnswerEvents {
  const isGiven = typeof created === 'number' && created > 0
  return new AnswerEvents({
    id: textOf(id) || call.id,
    created: Math.floor(isGiven ? created : call.now / 1000),
    model: textOf(model) || call.model,
  })
}

/** A report in OpenAI's format. */
function reportOf(usage: ReportedUsage): JsonRecord {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage
  const { cacheWriteTokens, longCacheWriteTokens } = usage
  const promptDetails = {
    ...(cachedTokens ? { cached_tokens: cachedTokens } : {}),
    ...(cacheWriteTokens ? { cache_write_tokens: cacheWriteTokens } : {}),
    ...(longCacheWriteTokens ? { long_cache_write_tokens: longCacheWriteTokens } : {}),
    ...usage.prompt,
    ...(usage.cached ? { cached_tokens_details: usage.cached } : {}),
  }
  const completionDetails = {
    ...(reasoningTokens ? { reasoning_tokens: reasoningTokens } : {}),
    ...usage.completion,
  }
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(Object.keys(promptDetails).length === 0 ? {} : { prompt_tokens_details: promptDetails }),
    ...(Object.keys(completionDetails).length === 0
      ? {}
      : { completion_tokens_details: completionDetails }),
    ...(usage.served === undefined ? {} : servedMembers(usage.served)),
  }
}
