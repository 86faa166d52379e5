import {
  isRecord,
  member,
  listOf,
  stringifyOrEmpty,
  numberIn,
  textOf,
} from '../../bytes/json-value.ts'
import type { FinishReason, ReportedUsage } from '../../form/answer.ts'
import { servedInMessage } from '../../usage/served.ts'

export function argumentsOf(block: unknown): string {
  const input = member(block, 'input')
  return isRecord(input) ? stringifyOrEmpty(input) : '{}'
}

/** `message` has `stop_reason`: a whole message, or the delta that ends a stream. */
export function finishReasonOf(message: unknown, hasToolCalls: boolean): FinishReason {
  switch (member(message, 'stop_reason')) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'refusal':
      return 'content_filter'
    case 'tool_use':
      return hasToolCalls ? 'tool_calls' : 'stop'
    default:
      return 'stop'
  }
}

export function refusalOf(message: unknown): string | null {
  if (member(message, 'stop_reason') !== 'refusal') return null
  return textOf(member(member(message, 'stop_details'), 'explanation')) || null
}

/**
 * Anthropic counts cache reads and cache writes separately from the input, and compaction (its own
 * summary of earlier turns) separately from the answer. All are added up here.
 */
export function usageOf(usage: unknown): ReportedUsage | null {
  const own = usageWithoutCompaction(usage)
  if (own === null) return null
  const { promptTokens, completionTokens, ...details } = own
  const compactions = listOf(member(usage, 'iterations'))
    .filter((iteration) => member(iteration, 'type') === 'compaction')
    .flatMap((iteration) => usageWithoutCompaction(iteration) ?? [])
  const sum = (first: number, of: 'promptTokens' | 'completionTokens') =>
    compactions.reduce((total, compaction) => total + compaction[of], first)
  return {
    ...details,
    promptTokens: sum(promptTokens, 'promptTokens'),
    completionTokens: sum(completionTokens, 'completionTokens'),
    served: servedInMessage(usage),
  }
}

function usageWithoutCompaction(usage: unknown): ReportedUsage | null {
  const [input, output] = [numberIn(usage, 'input_tokens'), numberIn(usage, 'output_tokens')]
  if (input === undefined && output === undefined) return null
  const cachedTokens = numberIn(usage, 'cache_read_input_tokens')
  const cacheWriteTokens = numberIn(usage, 'cache_creation_input_tokens')
  return {
    promptTokens: (input ?? 0) + (cachedTokens ?? 0) + (cacheWriteTokens ?? 0),
    completionTokens: output ?? 0,
    cachedTokens,
    cacheWriteTokens,
    longCacheWriteTokens: numberIn(member(usage, 'cache_creation'), 'ephemeral_1h_input_tokens'),
    reasoningTokens: numberIn(member(usage, 'output_tokens_details'), 'thinking_tokens'),
  }
}
