import { jsonIn } from '../../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  member,
  stringifyOrEmpty,
  listOf,
  textOf,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { FinishReason, ReportedUsage, ToolCall } from '../../form/answer.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

/** Calls are never split. `before` is the number of earlier calls in the same answer. */
export function toolCallsOf(message: JsonRecord, requestId: string, before: number): ToolCall[] {
  return listOf(message['tool_calls'])
    .filter(isRecord)
    .map((call, index) => {
      const named = call['function']
      const input = member(named, 'arguments')
      return {
        id: textOf(call['id']) || `${requestId}-${before + index}`,
        name: textOf(member(named, 'name')),
        input: isRecord(input) ? stringifyOrEmpty(input) : textOf(input) || '{}',
      }
    })
}

export function finishOf(json: JsonRecord, hasToolCalls: boolean): FinishReason {
  if (hasToolCalls) return 'tool_calls'
  return json['done_reason'] === 'length' ? 'length' : 'stop'
}

/** Null if the prompt was cached and therefore not counted. */
export function usageOf(json: JsonRecord): ReportedUsage | null {
  const { prompt_eval_count: prompt, eval_count: completion } = json
  const isCounted = typeof prompt === 'number' && prompt > 0 && typeof completion === 'number'
  return isCounted ? { promptTokens: prompt, completionTokens: completion } : null
}

export function logprobsOf(json: JsonRecord): JsonRecord | undefined {
  const { logprobs } = json
  if (!Array.isArray(logprobs) || logprobs.length === 0) return undefined
  const content = logprobs.filter(isRecord).map((one) => ({
    token: one['token'],
    logprob: one['logprob'],
    bytes: one['bytes'] ?? null,
    top_logprobs: listOf(one['top_logprobs']),
  }))
  return { content, refusal: null }
}

export function decodeEmbeddings(
  body: Buffer,
  { request, model }: ProviderCall,
): Buffer | Steps<Buffer> {
  const json = jsonIn(body)
  const vectors = member(json, 'embeddings')
  if (!Array.isArray(vectors)) return body
  const prompt = member(json, 'prompt_eval_count')
  const promptTokens = typeof prompt === 'number' && prompt > 0 ? prompt : null
  const named = textOf(member(json, 'model')) || model
  return embeddingsAnswer({ request, model: named }, vectors, promptTokens)
}
