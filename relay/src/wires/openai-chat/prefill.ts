import { listOf, member, type JsonRecord } from '../../bytes/json-value.ts'
import type { RelayRequest } from '../../relay-request.ts'

type ContinuableRequest = Pick<
  RelayRequest,
  'endpoint' | 'stream' | 'choices' | 'outline' | 'native'
>

/** Whether another stream may continue a stream of this request: a single answer in plain text. */
export function isContinuable({
  endpoint,
  stream,
  choices,
  outline,
  native,
}: ContinuableRequest): boolean {
  // Such a request fits only one dialect, and stream failover works in OpenAI's form.
  if ((native?.obstacle ?? null) !== null) return false
  const format = member(outline['response_format'], 'type') ?? 'text'
  const isText = format === 'text' && isTextOnly(outline)
  return endpoint === 'chat' && stream && choices === 1 && isText && outline['logprobs'] !== true
}

/** Whether only text is requested. Bytes do not show the cost of audio and images. */
export const isTextOnly = ({ modalities }: JsonRecord): boolean =>
  listOf(modalities).every((modality) => modality === 'text')

/** Whether the client prefilled the answer: the last message is the assistant's. */
export function hasPrefill({ outline }: Pick<RelayRequest, 'outline'>): boolean {
  return member(messagesOf(outline).at(-1), 'role') === 'assistant'
}

export function withPrefill(json: JsonRecord, content: string): JsonRecord {
  return { ...json, messages: [...messagesOf(json), { role: 'assistant', content }] }
}

function messagesOf(json: JsonRecord): unknown[] {
  return Array.isArray(json['messages']) ? json['messages'] : []
}
