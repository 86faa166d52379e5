import {
  chatAnswer,
  type AnswerHead,
  type FinishReason,
  type ReportedUsage,
  type ToolCall,
} from '../../codec/chat-events.ts'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, member, type JsonRecord, listOf, writtenOut, textOf } from '../../json-value.ts'
import { keptThought, thoughtOf } from './thinking.ts'
import { answersByTool, JSON_TOOL } from './tools.ts'

export function decode(body: Buffer, call: ProviderCall): Buffer {
  const message = jsonIn(body)
  if (!isRecord(message) || !Array.isArray(message['content'])) return body
  const said = readBlocks(message['content'], call)
  const finishReason = finishReasonOf(message, said.toolCalls.length > 0)
  const refusal = refusalOf(message)
  const extra = {
    ...(said.thoughts.length === 0 ? {} : { thinking_blocks: said.thoughts }),
    ...(refusal === null ? {} : { refusal }),
  }
  const isTextless = said.text === '' && said.toolCalls.length > 0
  const { reasoning, toolCalls } = said
  const text = isTextless ? null : said.text
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

type Said = {
  text: string
  reasoning: string
  toolCalls: ToolCall[]
  thoughts: JsonRecord[]
}

function readBlocks(blocks: readonly unknown[], { request, model, id }: ProviderCall): Said {
  const said: Said = { text: '', reasoning: '', toolCalls: [], thoughts: [] }
  const jsonTool = answersByTool(request, model) ? JSON_TOOL : null
  for (const block of blocks) {
    const name = textOf(member(block, 'name'))
    switch (member(block, 'type')) {
      case 'text':
        said.text += textOf(member(block, 'text'))
        break
      case 'tool_use':
        if (name === jsonTool) said.text += argumentsOf(block)
        else {
          const callId = textOf(member(block, 'id')) || `${id}-${said.toolCalls.length}`
          said.toolCalls.push({ id: callId, name, arguments: argumentsOf(block) })
        }
        break
      default: {
        const thought = thoughtOf(block)
        const after = { text: said.text.length, toolCalls: said.toolCalls.length }
        if (thought !== null) said.thoughts.push(keptThought(thought, model, after))
        said.reasoning += textOf(member(block, 'thinking'))
      }
    }
  }
  return said
}

export function argumentsOf(block: unknown): string {
  const input = member(block, 'input')
  return isRecord(input) ? writtenOut(input) : '{}'
}

/** `said` has `stop_reason`: a whole message, or the delta that ends a stream. */
export function finishReasonOf(said: unknown, hasToolCalls: boolean): FinishReason {
  switch (member(said, 'stop_reason')) {
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

export function refusalOf(said: unknown): string | null {
  if (member(said, 'stop_reason') !== 'refusal') return null
  return textOf(member(member(said, 'stop_details'), 'explanation')) || null
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
