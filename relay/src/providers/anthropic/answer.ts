import { chatAnswer } from '../../codec/chat-answer.ts'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import type { AnswerHead, FinishReason, ReportedUsage, ToolCall } from '../../form/answer.ts'
import { jsonIn } from '../../json-parse.ts'
import {
  isRecord,
  member,
  type JsonRecord,
  listOf,
  stringifyOrEmpty,
  textOf,
} from '../../json-value.ts'
import { storedThinking, thinkingBlockOf } from './thinking.ts'
import { answersByTool, JSON_TOOL } from './tools.ts'

export function decode(body: Buffer, call: ProviderCall): Buffer {
  const message = jsonIn(body)
  if (!isRecord(message) || !Array.isArray(message['content'])) return body
  const decoded = readBlocks(message['content'], call)
  const finishReason = finishReasonOf(message, decoded.toolCalls.length > 0)
  const refusal = refusalOf(message)
  const extra = {
    ...(decoded.thinkingBlocks.length === 0 ? {} : { thinking_blocks: decoded.thinkingBlocks }),
    ...(refusal === null ? {} : { refusal }),
  }
  const isTextless = decoded.text === '' && decoded.toolCalls.length > 0
  const { reasoning, toolCalls } = decoded
  const text = isTextless ? null : decoded.text
  const usage = usageOf(message['usage'])
  return chatAnswer(
    headOf(message, call),
    [{ text, reasoning, toolCalls, finishReason, extra }],
    usage,
  )
}

export function headOf(message: unknown, { id, model, now }: ProviderCall): AnswerHead {
  return {
    id: textOf(member(message, 'id')) || id,
    created: Math.floor(now / 1000),
    model: textOf(member(message, 'model')) || model,
  }
}

type DecodedMessage = {
  text: string
  reasoning: string
  toolCalls: ToolCall[]
  thinkingBlocks: JsonRecord[]
}

function readBlocks(blocks: readonly unknown[], call: ProviderCall): DecodedMessage {
  const { model, id } = call
  const decoded: DecodedMessage = { text: '', reasoning: '', toolCalls: [], thinkingBlocks: [] }
  const jsonTool = answersByTool(call) ? JSON_TOOL : null
  for (const block of blocks) {
    const name = textOf(member(block, 'name'))
    switch (member(block, 'type')) {
      case 'text':
        decoded.text += textOf(member(block, 'text'))
        break
      case 'tool_use':
        if (name === jsonTool) decoded.text += argumentsOf(block)
        else {
          const callId = textOf(member(block, 'id')) || `${id}-${decoded.toolCalls.length}`
          decoded.toolCalls.push({ id: callId, name, input: argumentsOf(block) })
        }
        break
      default: {
        const thinkingBlock = thinkingBlockOf(block)
        const after = { text: decoded.text.length, toolCalls: decoded.toolCalls.length }
        if (thinkingBlock !== null)
          decoded.thinkingBlocks.push(storedThinking(thinkingBlock, model, after))
        decoded.reasoning += textOf(member(block, 'thinking'))
      }
    }
  }
  return decoded
}

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
  }
}

function usageWithoutCompaction(usage: unknown): ReportedUsage | null {
  const [input, output] = [count(usage, 'input_tokens'), count(usage, 'output_tokens')]
  if (input === undefined && output === undefined) return null
  const cachedTokens = count(usage, 'cache_read_input_tokens')
  const cacheWriteTokens = count(usage, 'cache_creation_input_tokens')
  return {
    promptTokens: (input ?? 0) + (cachedTokens ?? 0) + (cacheWriteTokens ?? 0),
    completionTokens: output ?? 0,
    cachedTokens,
    cacheWriteTokens,
    longCacheWriteTokens: count(member(usage, 'cache_creation'), 'ephemeral_1h_input_tokens'),
    reasoningTokens: count(member(usage, 'output_tokens_details'), 'thinking_tokens'),
  }
}

function count(usage: unknown, name: string): number | undefined {
  const value = member(usage, name)
  return typeof value === 'number' ? value : undefined
}
