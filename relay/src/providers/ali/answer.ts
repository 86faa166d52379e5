import {
  isRecord,
  type JsonRecord,
  member,
  listOf,
  textOf,
  numberOrZero,
  isPresent,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { FinishReason, ReportedUsage } from '../../form/answer.ts'
import type { ProviderToolCall } from '../../streams/tool-call-encoder.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

export function decodeEmbeddings(json: JsonRecord, call: ProviderCall): Steps<Buffer> | null {
  const embeddings = listOf(member(json['output'], 'embeddings'))
  if (embeddings.length === 0) return null
  const place = (item: unknown) => numberOrZero(member(item, 'text_index'))
  const vectors = embeddings
    .toSorted((a, b) => place(a) - place(b))
    .map((item) => member(item, 'embedding'))
  return embeddingsAnswer(call, vectors, member(json['usage'], 'total_tokens'))
}

/** Older models put their only choice directly into the output. */
export function choicesOf({ output }: JsonRecord): unknown[] {
  if (Array.isArray(member(output, 'choices'))) return listOf(member(output, 'choices'))
  const content = member(output, 'text')
  if (!isPresent(content)) return []
  return [{ message: { content }, finish_reason: member(output, 'finish_reason') }]
}

/** Vision models answer with a list of parts. */
export function messageText(message: unknown): string {
  const content = member(message, 'content')
  if (!Array.isArray(content)) return textOf(content)
  return content.map((part) => textOf(member(part, 'text'))).join('')
}

export const toolCallsOf = (message: unknown): ProviderToolCall[] =>
  listOf(member(message, 'tool_calls')).map((call) => ({
    id: textOf(member(call, 'id')),
    index: member(call, 'index'),
    name: textOf(member(member(call, 'function'), 'name')),
    arguments: textOf(member(member(call, 'function'), 'arguments')),
  }))

/** Null while a choice is unfinished, which DashScope writes as `"null"`. */
export function finishOf(reason: unknown): FinishReason | null {
  switch (reason) {
    case undefined:
    case null:
    case '':
    case 'null':
      return null
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return reason
    default:
      return 'stop'
  }
}

export function usageOf(usage: unknown): ReportedUsage | null {
  if (!isRecord(usage)) return null
  const { prompt_tokens_details: promptDetails, output_tokens_details: outputDetails } = usage
  return {
    promptTokens: numberOrZero(usage['input_tokens']),
    completionTokens: numberOrZero(usage['output_tokens']),
    cachedTokens: numberOrZero(member(promptDetails, 'cached_tokens')),
    cacheWriteTokens: numberOrZero(member(promptDetails, 'cache_creation_input_tokens')),
    reasoningTokens: numberOrZero(member(outputDetails, 'reasoning_tokens')),
  }
}
