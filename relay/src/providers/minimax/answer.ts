import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, member, listOf, textOf } from '../../bytes/json-value.ts'
import type { FinishReason } from '../../form/answer.ts'

/** MiniMax has status codes of its own; 0 means success. */
export const isFailure = (json: JsonRecord) => {
  const code = member(json['base_resp'], 'status_code')
  return typeof code === 'number' && code !== 0
}

/** Returns answers that need no change, and failures, unchanged. */
export function decodeChat(body: Buffer): Buffer {
  const json = jsonIn(body)
  if (!isRecord(json) || isFailure(json) || !Array.isArray(json['choices'])) return body
  const choices = json['choices'].map((choice: unknown) => {
    if (!isRecord(choice) || !isRecord(choice['message'])) return choice
    const { message } = choice
    const reasoning = reasoningOf(message)
    return {
      ...choice,
      message: reasoning === '' ? message : { ...message, reasoning_content: reasoning },
      finish_reason: finishOf(choice, json),
    }
  })
  return Buffer.from(JSON.stringify({ ...json, choices }))
}

/** Newer models report reasoning in pieces with details. */
export function reasoningOf(message: unknown): string {
  const text = textOf(member(message, 'reasoning_content'))
  if (text !== '') return text
  const details = listOf(member(message, 'reasoning_details'))
  return details.map((detail) => textOf(member(detail, 'text'))).join('')
}

const FINISH_REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
])

export function finishOf(choice: JsonRecord, answer: JsonRecord): FinishReason {
  if (answer['output_sensitive'] === true) return 'content_filter'
  return FINISH_REASONS.get(choice['finish_reason']) ?? 'stop'
}
