import type { ToolCalls } from '@tollgate/contract'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  numberIn,
  textOf,
} from '../../bytes/json-value.ts'
import type { FinishReason, ReportedUsage } from '../../form/answer.ts'
import { isFlat } from '../../form/nested-json.ts'
import { PARAGRAPH } from '../../form/request.ts'
import { countTools, servedOf, tierNamed, toolCallsIn } from '../../usage/served.ts'

/* What items and responses say, whether they come whole or at the end of a stream. */

/** The text of a message. */
export const textIn = (item: unknown): string => joined(item, 'output_text', 'text')

export const refusalIn = (item: unknown): string => joined(item, 'refusal', 'refusal')

const joined = (item: unknown, type: string, name: string): string =>
  listOf(member(item, 'content'))
    .filter((part) => member(part, 'type') === type)
    .map((part) => textOf(member(part, name)))
    .join('')

export const logprobsIn = (source: unknown): unknown[] =>
  listOf(member(source, 'logprobs')).filter((token) => isFlat(token))

/** Models of OpenAI show a summary of their reasoning, open models the reasoning itself. */
export function reasoningIn(item: unknown): string {
  const texts = (name: string) =>
    listOf(member(item, name))
      .map((part) => textOf(member(part, 'text')))
      .filter((text) => text !== '')
      .join(PARAGRAPH)
  return texts('summary') || texts('content')
}

/** `input` is JSON for a function, and text for a custom tool. */
export type OutputCall = {
  readonly isCustom: boolean
  readonly id: string
  readonly name: string
  readonly input: string
}

/** Null for items of other types. */
export function callIn(item: unknown): OutputCall | null {
  const type = member(item, 'type')
  const isCustom = type === 'custom_tool_call'
  if (!isCustom && type !== 'function_call') return null
  const id = textOf(member(item, 'call_id')) || textOf(member(item, 'id'))
  const input = textOf(member(item, isCustom ? 'input' : 'arguments'))
  return { isCustom, id, name: textOf(member(item, 'name')), input }
}

/** Why the response failed; null for one with an answer. */
export function failureOf(response: JsonRecord): JsonRecord | null {
  const { status, error } = response
  if (isRecord(error)) return error
  if (status === undefined || status === 'completed' || status === 'incomplete') return null
  return { code: 'server_error', message: `The response ended as '${textOf(status)}'.` }
}

export function finishReasonOf(response: unknown, hasCalls: boolean): FinishReason {
  if (member(response, 'status') === 'incomplete') {
    const reason = member(member(response, 'incomplete_details'), 'reason')
    if (reason === 'content_filter') return 'content_filter'
    if (reason !== 'steered') return 'length'
  }
  return hasCalls ? 'tool_calls' : 'stop'
}

/** A cache write for twelve hours costs more than one for half an hour. */
export function usageOf(
  response: unknown,
  items: readonly unknown[] = listOf(member(response, 'output')),
): ReportedUsage | null {
  const usage = member(response, 'usage')
  const [input, output] = [numberIn(usage, 'input_tokens'), numberIn(usage, 'output_tokens')]
  if (input === undefined && output === undefined) return null
  const details = member(usage, 'input_tokens_details')
  const writes = member(details, 'cache_write_tokens_details')
  return {
    promptTokens: input ?? 0,
    completionTokens: output ?? 0,
    cachedTokens: numberIn(details, 'cached_tokens'),
    cacheWriteTokens: numberIn(details, 'cache_write_tokens'),
    longCacheWriteTokens: numberIn(writes, 'ttl_12h_tokens'),
    reasoningTokens: numberIn(member(usage, 'output_tokens_details'), 'reasoning_tokens'),
    served: servedOf({
      tier: tierNamed(member(response, 'service_tier')),
      toolCalls: isRecord(usage) ? toolCallsOf(usage, items) : [],
    }),
  }
}

/** xAI reports the calls that it bills; at OpenAI each item of the output is a call. */
function toolCallsOf(usage: JsonRecord, items: readonly unknown[]): readonly ToolCalls[] {
  const reported = toolCallsIn(usage)
  return reported.length > 0 ? reported : countTools(items.flatMap(billedTool))
}

/** Opening a page that was found is no search. A container is billed once, however often used. */
function billedTool(item: unknown, index: number, items: readonly unknown[]): string[] {
  switch (member(item, 'type')) {
    case 'web_search_call': {
      const action = member(member(item, 'action'), 'type') ?? 'search'
      return action === 'search' ? ['web_search'] : []
    }
    case 'file_search_call':
      return ['file_search']
    case 'code_interpreter_call': {
      const isSame = (other: unknown) =>
        member(other, 'type') === 'code_interpreter_call' &&
        member(other, 'container_id') === member(item, 'container_id')
      return items.findIndex(isSame) === index ? ['code_interpreter'] : []
    }
    default:
      return []
  }
}
