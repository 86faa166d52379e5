import type { AnswerHead, FinishReason, ReportedUsage, ToolCall } from '../form/answer.ts'
import type { JsonRecord } from '../json-value.ts'
import { writeInSteps } from '../json-write.ts'
import type { Steps } from '../steps.ts'

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

export const toolCallOf = ({ id, name, input, isCustom = false, signature }: ToolCall) => ({
  id,
  ...(isCustom
    ? { type: 'custom', custom: { name, input } }
    : { type: 'function', function: { name, arguments: input } }),
  ...(signature === undefined ? {} : { extra_content: signature }),
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

export function usageOf(usage: ReportedUsage): JsonRecord {
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
