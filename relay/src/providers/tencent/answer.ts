import {
  isRecord,
  type JsonRecord,
  member,
  listOf,
  textOf,
  numberOrZero,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { FinishReason, ReportedUsage } from '../../form/answer.ts'
import type { ProviderToolCall } from '../../streams/tool-call-encoder.ts'
import { embeddingsAnswer } from '../../wires/encode-vectors.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

export function decodeEmbeddings(response: JsonRecord, call: ProviderCall): Steps<Buffer> | null {
  const data = listOf(response['Data'])
  if (data.length === 0) return null
  const vectors = data.map((item) => member(item, 'Embedding'))
  return embeddingsAnswer(call, vectors, member(response['Usage'], 'PromptTokens'))
}

export function failureOf(response: JsonRecord): JsonRecord | null {
  const { ErrorMsg: errorMsg, Error: error } = response
  if (isRecord(error)) return { code: error['Code'], message: error['Message'] }
  const isFailure =
    isRecord(errorMsg) && (numberOrZero(errorMsg['Code']) !== 0 || textOf(errorMsg['Msg']) !== '')
  return isFailure
    ? { code: `tencent:${numberOrZero(errorMsg['Code'])}`, message: errorMsg['Msg'] }
    : null
}

export const toolCallsOf = (message: unknown): ProviderToolCall[] =>
  listOf(member(message, 'ToolCalls')).map((call) => ({
    id: textOf(member(call, 'Id')),
    index: member(call, 'Index'),
    name: textOf(member(member(call, 'Function'), 'Name')),
    arguments: textOf(member(member(call, 'Function'), 'Arguments')),
  }))

export function finishOf(reason: string): FinishReason {
  switch (reason) {
    case 'length':
    case 'tool_calls':
      return reason
    case 'sensitive':
      return 'content_filter'
    default:
      return 'stop'
  }
}

export function usageOf(usage: unknown): ReportedUsage | null {
  if (!isRecord(usage)) return null
  return {
    promptTokens: numberOrZero(usage['PromptTokens']),
    completionTokens: numberOrZero(usage['CompletionTokens']),
    cachedTokens: numberOrZero(member(usage['PromptTokensDetails'], 'CachedTokens')),
  }
}
