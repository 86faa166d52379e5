import { chatAnswer } from '../../codec/chat-answer.ts'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import type { AnswerHead, ToolCall } from '../../form/answer.ts'
import { jsonIn } from '../../json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  stringifyOrEmpty,
  textOf,
} from '../../json-value.ts'
import { PARAGRAPH } from './items.ts'
import {
  callIn,
  failureOf,
  finishReasonOf,
  logprobsIn,
  reasoningIn,
  refusalIn,
  textIn,
  usageOf,
} from './output.ts'
import { storedReasoning } from './reasoning.ts'

export function decode(body: Buffer, call: ProviderCall): Buffer {
  const response = jsonIn(body)
  if (!isRecord(response) || !Array.isArray(response['output'])) return body
  const failure = failureOf(response)
  if (failure !== null) return Buffer.from(stringifyOrEmpty({ error: failure }))
  const { text, reasoning, refusal, toolCalls, details, logprobs } = readItems(
    response['output'],
    call,
  )
  const extra = {
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(refusal === '' ? {} : { refusal }),
  }
  const choice = {
    text: text === '' && (toolCalls.length > 0 || refusal !== '') ? null : text,
    reasoning,
    toolCalls,
    finishReason: finishReasonOf(response, toolCalls.length > 0),
    ...(logprobs.length === 0 ? {} : { logprobs: { content: logprobs } }),
    extra,
  }
  return chatAnswer(headOf(response, call), [choice], usageOf(response))
}

export function headOf(response: unknown, { id, model, now }: ProviderCall): AnswerHead {
  const created = member(response, 'created_at')
  return {
    id: textOf(member(response, 'id')) || id,
    created: Math.floor(typeof created === 'number' ? created : now / 1000),
    model: textOf(member(response, 'model')) || model,
  }
}

type DecodedOutput = {
  text: string
  reasoning: string
  refusal: string
  readonly toolCalls: ToolCall[]
  readonly details: JsonRecord[]
  readonly logprobs: unknown[]
}

function readItems(items: readonly unknown[], { id, model }: ProviderCall): DecodedOutput {
  const decoded: DecodedOutput = {
    text: '',
    reasoning: '',
    refusal: '',
    toolCalls: [],
    details: [],
    logprobs: [],
  }
  for (const item of items) {
    switch (member(item, 'type')) {
      case 'message':
        decoded.text = paragraphs(decoded.text, textIn(item))
        decoded.refusal += refusalIn(item)
        for (const part of listOf(member(item, 'content'))) {
          for (const token of logprobsIn(part)) decoded.logprobs.push(token)
        }
        break
      case 'reasoning': {
        decoded.reasoning = paragraphs(decoded.reasoning, reasoningIn(item))
        const after = { text: decoded.text.length, toolCalls: decoded.toolCalls.length }
        const stored = storedReasoning(item, model, after)
        if (stored !== null) decoded.details.push(stored)
        break
      }
      default: {
        const call = callIn(item)
        if (call === null) break
        const callId = call.id || `${id}-${decoded.toolCalls.length}`
        decoded.toolCalls.push({ ...call, id: callId })
      }
    }
  }
  return decoded
}

const paragraphs = (...texts: string[]) => texts.filter((text) => text !== '').join(PARAGRAPH)
