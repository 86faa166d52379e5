import { numberOrZero } from '../../codec/chat-request.ts'
import { embeddingsAnswer, encodeVectors } from '../../codec/encode-vectors.ts'
import type { Decoded, ProviderCall } from '../../codec/provider-codec.ts'
import type { ProviderToolCall } from '../../codec/tool-call-encoder.ts'
import { wholeAnswer } from '../../codec/whole-answer.ts'
import type { Answer, FinishReason, ReportedUsage, ToolCall } from '../../form/answer.ts'
import type { AnswerHead } from '../../form/events.ts'
import { jsonIn } from '../../json-parse.ts'
import { isRecord, type JsonRecord, member, listOf, textOf } from '../../json-value.ts'
import type { Steps } from '../../steps.ts'
import { withoutStop } from './stop-sequence-filter.ts'

/** Returns failures unchanged, or their `Response.Error` as an error. */
export function decodeAnswer(body: Buffer, call: ProviderCall): Decoded | Steps<Decoded> {
  const response = member(jsonIn(body), 'Response')
  if (!isRecord(response)) return body
  const failure = failureOf(response)
  if (failure !== null) return Buffer.from(JSON.stringify({ error: failure }))
  return call.endpoint === 'embeddings'
    ? (decodeEmbeddings(response, call) ?? body)
    : (decodeChat(response, call) ?? body)
}

function decodeChat(response: JsonRecord, call: ProviderCall): Answer | null {
  const choices = listOf(response['Choices'])
  if (choices.length === 0) return null
  return wholeAnswer(
    headOf(response, call),
    choices.map((choice) => {
      const message = member(choice, 'Message')
      return {
        text: withoutStop(textOf(member(message, 'Content')), call.request['stop']),
        reasoning: textOf(member(message, 'ReasoningContent')),
        toolCalls: toolCallsOf(message).map((piece, position) => toolCallOf(piece, position, call)),
        finishReason: finishOf(textOf(member(choice, 'FinishReason'))),
      }
    }),
    usageOf(response['Usage']),
  )
}

function decodeEmbeddings(
  response: JsonRecord,
  { model, request }: ProviderCall,
): Steps<Buffer> | null {
  const data = listOf(response['Data'])
  if (data.length === 0) return null
  const vectors = data.map((item) => member(item, 'Embedding'))
  const tokens = member(response['Usage'], 'PromptTokens')
  const count = typeof tokens === 'number' ? tokens : null
  return embeddingsAnswer(model, encodeVectors(vectors, request), count)
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

export function headOf(response: JsonRecord, { id, model, now }: ProviderCall): AnswerHead {
  const created = numberOrZero(response['Created']) || Math.floor(now / 1000)
  return { id: textOf(response['Id']) || id, created, model }
}

export const toolCallsOf = (message: unknown): ProviderToolCall[] =>
  listOf(member(message, 'ToolCalls')).map((call) => ({
    id: textOf(member(call, 'Id')),
    index: member(call, 'Index'),
    name: textOf(member(member(call, 'Function'), 'Name')),
    arguments: textOf(member(member(call, 'Function'), 'Arguments')),
  }))

function toolCallOf(piece: ProviderToolCall, position: number, call: ProviderCall): ToolCall {
  const { id, name } = piece
  return { id: id || `${call.id}-${position}`, name, input: piece.arguments }
}

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
