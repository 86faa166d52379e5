import { type JsonRecord, writtenOut } from '../json-value.ts'
import { writeInSteps } from '../json-write.ts'
import type { Steps } from '../steps.ts'

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** A tool call of a whole answer; `arguments` is JSON. */
export type ToolCall = {
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Further members of the call. */
  readonly extra?: JsonRecord | undefined
}

/** Cached and written tokens are part of the prompt, reasoning of the completion. */
export type ReportedUsage = {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  /** Of those written what is kept for an hour, which is dearer. */
  readonly longCacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  /** Those of the prompt, of what of it was cached, and of the completion that are no text. */
  readonly prompt?: MediaTokens | undefined
  readonly cached?: MediaTokens | undefined
  readonly completion?: MediaTokens | undefined
}

export type MediaTokens = { readonly audio_tokens?: number; readonly image_tokens?: number }

export type AnswerHead = {
  /** The provider's id of the answer, or else the request's. */
  readonly id: string
  /** Epoch seconds. */
  readonly created: number
  readonly model: string
}

/**
 * Where a decoder tells the usage of an answer that goes on, in case it breaks off; the watch over the stream
 * takes it out.
 */
export const USAGE_SO_FAR = 'usage_so_far'

/**
 * Writes the events of OpenAI's stream, for decoders. Pieces of text begin with the same bytes each time,
 * which is what lets the watch over streams pass them on unparsed.
 */
export class ChatEvents {
  readonly #head: AnswerHead
  #toldSoFar = false

  constructor(head: AnswerHead) {
    this.#head = head
  }

  text(content: string, index = 0, logprobs?: unknown): Buffer {
    return this.delta({ content }, index, logprobs)
  }

  /** What the model thinks, as far as the provider shows it. */
  reasoning(text: string, index = 0): Buffer {
    return this.delta({ reasoning_content: text }, index)
  }

  /** The beginning of a tool call: the `position`-th of its choice. */
  toolCall(position: number, call: ToolCall, index = 0): Buffer {
    return this.delta({ tool_calls: [{ index: position, ...toolCallOf(call) }] }, index)
  }

  /** A piece of the JSON of a tool call that has begun. */
  toolArguments(position: number, piece: string, index = 0): Buffer {
    return this.delta({ tool_calls: [{ index: position, function: { arguments: piece } }] }, index)
  }

  finish(reason: FinishReason, index = 0): Buffer {
    return this.#event({ choices: [{ index, delta: {}, finish_reason: reason }] })
  }

  usage(usage: ReportedUsage): Buffer {
    return this.#event({ choices: [], usage: usageOf(usage) })
  }

  /** The first that is known while the answer goes on: it tells of the prompt what nobody could count. */
  usageSoFar(usage: ReportedUsage | null): Buffer[] {
    if (usage === null || this.#toldSoFar) return []
    this.#toldSoFar = true
    return [this.#event({ choices: [], [USAGE_SO_FAR]: usageOf(usage) })]
  }

  delta(delta: JsonRecord, index = 0, logprobs?: unknown): Buffer {
    return this.#event({ choices: [{ index, delta, logprobs, finish_reason: null }] })
  }

  #event(rest: JsonRecord): Buffer {
    return dataEvent({ ...this.#head, object: 'chat.completion.chunk', ...rest })
  }
}

/** The end of a stream that is whole. */
export const DONE_EVENT = Buffer.from('data: [DONE]\n\n')

/** What the provider said of its failure, in its own words; the stream ends with it. */
export const errorEventOf = (body: JsonRecord): Buffer =>
  dataEvent('error' in body ? body : { error: body })

/** One event of a stream, with this data. */
export const dataEvent = (json: JsonRecord) => Buffer.from(`data: ${writtenOut(json)}\n\n`)

export type ChatChoice = {
  readonly text: string | null
  readonly reasoning?: string | undefined
  readonly toolCalls?: readonly ToolCall[] | undefined
  readonly finishReason: FinishReason
  /** In OpenAI's form. */
  readonly logprobs?: unknown
  /** Further members of the message. */
  readonly extra?: JsonRecord | undefined
}

/** A whole answer; without `usage` the gateway counts. */
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

/** A whole answer of the embeddings endpoint. */
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
  const ofPrompt = {
    ...(cachedTokens ? { cached_tokens: cachedTokens } : {}),
    ...(cacheWriteTokens ? { cache_write_tokens: cacheWriteTokens } : {}),
    ...(longCacheWriteTokens ? { long_cache_write_tokens: longCacheWriteTokens } : {}),
    ...usage.prompt,
    ...(usage.cached ? { cached_tokens_details: usage.cached } : {}),
  }
  const ofCompletion = {
    ...(reasoningTokens ? { reasoning_tokens: reasoningTokens } : {}),
    ...usage.completion,
  }
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...(Object.keys(ofPrompt).length === 0 ? {} : { prompt_tokens_details: ofPrompt }),
    ...(Object.keys(ofCompletion).length === 0 ? {} : { completion_tokens_details: ofCompletion }),
  }
}
