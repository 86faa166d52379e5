import { listOf, member, type JsonRecord } from '../../json-value.ts'
import type { RelayRequest } from '../../relay-request.ts'

type Asked = Pick<RelayRequest, 'endpoint' | 'stream' | 'choices' | 'outline' | 'native'>

/** Whether a stream of this request may be continued by another: one answer in plain text. */
export function isContinuable({ endpoint, stream, choices, outline, native }: Asked): boolean {
  // Only one dialect has words for it, and streams go on in OpenAI's form.
  if ((native?.obstacle ?? null) !== null) return false
  const format = member(outline['response_format'], 'type') ?? 'text'
  const isText = format === 'text' && answersInText(outline)
  return endpoint === 'chat' && stream && choices === 1 && isText && outline['logprobs'] !== true
}

/** Whether nothing but text is asked for: sound and pictures cost other than their bytes show. */
export const answersInText = ({ modalities }: JsonRecord): boolean =>
  listOf(modalities).every((modality) => modality === 'text')

/** Whether its last message is the assistant's, so that the answer has been begun by its caller. */
export function beginsAnswer({ outline }: Pick<RelayRequest, 'outline'>): boolean {
  return member(messagesOf(outline).at(-1), 'role') === 'assistant'
}

/** The request, with the beginning of an answer for the provider to go on from. */
export function withBeginning(json: JsonRecord, content: string): JsonRecord {
  return { ...json, messages: [...messagesOf(json), { role: 'assistant', content }] }
}

function messagesOf(json: JsonRecord): unknown[] {
  return Array.isArray(json['messages']) ? json['messages'] : []
}
