import {
  type AnswerHead,
  chatAnswer,
  embeddingsAnswer,
  type FinishReason,
  type ReportedUsage,
} from '../../codec/chat-events.ts'
import { countOf } from '../../codec/chat-request.ts'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { vectorsAsAsked } from '../../codec/vectors.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, type JsonRecord, member, listOf, textOf } from '../../json-value.ts'
import type { Steps } from '../../steps.ts'

export function decodeAnswer(body: Buffer, call: ProviderCall): Buffer | Steps<Buffer> {
  const json = jsonIn(body)
  if (!isRecord(json) || isFailure(json)) return body
  if (call.endpoint === 'embeddings') return decodeEmbeddings(json, call) ?? body
  const { result, function_call: made } = json
  if (typeof result !== 'string' && !isRecord(made)) return body
  const text = textOf(result)
  const choice = {
    text: text === '' && isRecord(made) ? null : text,
    reasoning: textOf(member(made, 'thoughts')),
    toolCalls: isRecord(made) ? [callOf(made, call.id)] : [],
    finishReason: finishOf(json),
  }
  return chatAnswer(headOf(json, call), [choice], usageOf(json['usage']))
}

/** Failures have status 200. */
export const isFailure = ({ error_code: code }: JsonRecord) =>
  typeof code === 'number' && code !== 0

function callOf(made: JsonRecord, madeId: string) {
  return { id: `${madeId}-0`, name: textOf(made['name']), arguments: textOf(made['arguments']) }
}

function decodeEmbeddings(
  json: JsonRecord,
  { model, request }: ProviderCall,
): Steps<Buffer> | null {
  const data = listOf(json['data'])
  if (data.length === 0) return null
  const vectors = data.map((item) => member(item, 'embedding'))
  const tokens = member(json['usage'], 'prompt_tokens')
  const count = typeof tokens === 'number' ? tokens : null
  return embeddingsAnswer(model, vectorsAsAsked(vectors, request), count)
}

export function headOf(json: JsonRecord, { id, model, now }: ProviderCall): AnswerHead {
  const created = countOf(json['created']) || Math.floor(now / 1000)
  return { id: textOf(json['id']) || id, created, model }
}

/** Baidu asks to clear the history if something in it is unsafe. */
export const isUnsafe = ({ need_clear_history: clear, flag }: JsonRecord) =>
  clear === true || countOf(flag) > 0

export function finishOf(json: JsonRecord): FinishReason {
  const { finish_reason: reason, is_truncated: isTruncated, function_call: made } = json
  if (reason === 'content_filter' || isUnsafe(json)) return 'content_filter'
  if (isRecord(made) || reason === 'function_call') return 'tool_calls'
  return reason === 'length' || isTruncated === true ? 'length' : 'stop'
}

/** In streams only the prompt and the total are reliable. */
export function usageOf(usage: unknown): ReportedUsage | null {
  if (!isRecord(usage)) return null
  const promptTokens = countOf(usage['prompt_tokens'])
  const rest = countOf(usage['total_tokens']) - promptTokens
  return { promptTokens, completionTokens: Math.max(rest, countOf(usage['completion_tokens'])) }
}
