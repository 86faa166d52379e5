import { type JsonRecord, stringifyOrEmpty } from '../json-value.ts'
import { writeInSteps } from '../json-write.ts'
import type { Steps } from '../steps.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** `arguments` is JSON. */
export type ToolCall = {
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly extra?: JsonRecord | undefined
}

/** Cached and cache-write tokens are part of the prompt, reasoning tokens of the completion. */
export type ReportedUsage = {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  /** The part of `cacheWriteTokens` that is cached for an hour, which costs more. */
  readonly longCacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  /** Non-text tokens in the prompt, its cached part and the completion. */
  readonly prompt?: MediaTokens | undefined
  readonly cached?: MediaTokens | undefined
  readonly completion?: MediaTokens | undefined
}

export type MediaTokens = { readonly audio_tokens?: number; readonly image_tokens?: number }

export type AnswerHead = {
  /** The provider's answer id, or the request id if the provider gives none. */
  readonly id: string
  /** Epoch seconds. */
  readonly created: number
  readonly model: string
}

/**
 * Member in which a decoder reports usage while an answer is still streaming, in case the stream
 * breaks. `StreamObserver` removes it.
 */
export const USAGE_SO_FAR = 'usage_so_far'

/**
 * Writes OpenAI stream events for decoders. Text deltas always start with the same bytes, which
 * lets `StreamObserver` pass them on unparsed.
 */
export class ChatEvents {
  readonly #head: AnswerHead
  #sentUsageSoFar = false

  constructor(head: AnswerHead) {
    this.#head = head
  }

  text(content: string, index = 0, logprobs?: unknown): Buffer {
    return this.delta({ content }, index, logprobs)
  }

  reasoning(text: string, index = 0): Buffer {
    return this.delta({ reasoning_content: text }, index)
  }

  /** Starts a tool call; `position` is its index in the choice. */
  toolCall(position: number, call: ToolCall, index = 0): Buffer {
    return this.delta({ tool_calls: [{ index: position, ...toolCallOf(call) }] }, index)
  }

  toolArguments(position: number, piece: string, index = 0): Buffer {
    return this.delta({ tool_calls: [{ index: position, function: { arguments: piece } }] }, index)
  }

  finish(reason: FinishReason, index = 0): Buffer {
    return this.#event({ choices: [{ index, delta: {}, finish_reason: reason }] })
  }

  usage(usage: ReportedUsage): Buffer {
    return this.#event({ choices: [], usage: usageOf(usage) })
  }

  /**
   * Emits the first usage known mid-stream, once. It holds prompt tokens that the gateway cannot
   * count.
   */
  usageSoFar(usage: ReportedUsage | null): Buffer[] {
    if (usage === null || this.#sentUsageSoFar) return []
    this.#sentUsageSoFar = true
    return [this.#event({ choices: [], [USAGE_SO_FAR]: usageOf(usage) })]
  }

  delta(delta: JsonRecord, index = 0, logprobs?: unknown): Buffer {
    return this.#event({ choices: [{ index, delta, logprobs, finish_reason: null }] })
  }

  #event(rest: JsonRecord): Buffer {
    return dataEvent({ ...this.#head, object: 'chat.completion.chunk', ...rest })
  }
}

export const DONE_EVENT = Buffer.from('data: [DONE]\n\n')

/** The last event of a failed stream. `body` is the provider's own, if there is one. */
export const errorEventOf = (body: JsonRecord): Buffer =>
  dataEvent('error' in body ? body : { error: body })

export const dataEvent = (json: JsonRecord) => Buffer.from(`data: ${stringifyOrEmpty(json)}\n\n`)

export type ChatChoice = {
  readonly text: string | null
  readonly reasoning?: string | undefined
  readonly toolCalls?: readonly ToolCall[] | undefined
  readonly finishReason: FinishReason
  /** In OpenAI's format. */
  readonly logprobs?: unknown
  readonly extra?: JsonRecord | undefined
}

/** Without `usage`, the gateway counts tokens itself. */
export function chatAnswer(
  head: AnswerHead,
  choices: readonly ChatChoice[],
  usage: ReportedUsage | null,
): Buffer {
  return Buffer.from(
    JSON.stringify({
      ...head,
      object: 'chat.completion',
      choices: choices.map((choice, index) => ({
        index,
        message: messageOf(choice),
        logprobs: choice.logprobs,
        finish_reason: choice.finishReason,
      })),
      ...(usage === null ? {} : { usage: usageOf(usage) }),
    }),
  )
}

function messageOf({ text, reasoning, toolCalls = [], extra }: ChatChoice): JsonRecord {
  return {
    role: 'assistant',
    content: text,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toolCallOf) }),
    ...extra,
  }
}

const toolCallOf = ({ id, name, extra, ...call }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: call.arguments },
  ...extra,
})

export function* embeddingsAnswer(
  model: string,
  vectors: Steps<readonly unknown[]>,
  promptTokens: number | null,
): Steps<Buffer> {
  const embeddings = yield* vectors
  return yield* writeInSteps({
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model,
    ...(promptTokens === null
      ? {}
      : { usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } }),
  })
}

function usageOf(usage: ReportedUsage): JsonRecord {
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
  }
}
