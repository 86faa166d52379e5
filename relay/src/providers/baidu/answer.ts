import { isRecord, type JsonRecord, member, listOf, numberOrZero } from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { FinishReason, ReportedUsage } from '../../form/answer.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

/** Failures have status 200. */
export const isFailure = ({ error_code: code }: JsonRecord) =>
  typeof code === 'number' && code !== 0

export function decodeEmbeddings(json: JsonRecord, call: ProviderCall): Steps<Buffer> | null {
  const data = listOf(json['data'])
  if (data.length === 0) return null
  const vectors = data.map((item) => member(item, 'embedding'))
  return embeddingsAnswer(call, vectors, member(json['usage'], 'prompt_tokens'))
}

/** Baidu asks to clear the history if something in it is unsafe. */
export const isUnsafe = ({ need_clear_history: clear, flag }: JsonRecord) =>
  clear === true || numberOrZero(flag) > 0

export function finishOf(json: JsonRecord): FinishReason {
  const { finish_reason: reason, is_truncated: isTruncated, function_call: call } = json
  if (reason === 'content_filter' || isUnsafe(json)) return 'content_filter'
  if (isRecord(call) || reason === 'function_call') return 'tool_calls'
  return reason === 'length' || isTruncated === true ? 'length' : 'stop'
}

/** In streams only the prompt and the total are reliable. */
export function usageOf(usage: unknown): ReportedUsage | null {
  if (!isRecord(usage)) return null
  const promptTokens = numberOrZero(usage['prompt_tokens'])
  const rest = numberOrZero(usage['total_tokens']) - promptTokens
  return {
    promptTokens,
    completionTokens: Math.max(rest, numberOrZero(usage['completion_tokens'])),
  }
}
