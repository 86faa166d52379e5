import {
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  member,
  omit,
} from '../../bytes/json-value.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'

/** Whether messages may have to change for the provider. */
export const changesMessages = ({ prefill }: ProviderDescriptor): boolean => prefill !== undefined

const REASONING = 'reasoning_content'

export const hasReasoning = ({ messages }: JsonRecord): boolean =>
  Array.isArray(messages) && messages.some(holdsReasoning)

const holdsReasoning = (message: unknown) => member(message, REASONING) !== undefined

export const withoutReasoning = (json: JsonRecord): JsonRecord => ({
  ...json,
  messages: mapRecords(listOf(json['messages']), (message) => omit(message, REASONING)),
})

/**
 * The messages in the provider's form; the same list if nothing changes. Marks an answer that the
 * client prefilled, unless the client set the mark itself.
 */
export function vendorMessages(
  json: JsonRecord,
  { prefill }: ProviderDescriptor,
): readonly unknown[] {
  const messages = listOf(json['messages'])
  if (prefill === undefined) return messages
  const { member: mark, excludesJson: isNeverJson } = prefill
  const last = messages.at(-1)
  if (!isRecord(last) || last['role'] !== 'assistant' || last[mark] !== undefined) return messages
  const asksForJson = member(json['response_format'], 'type') === 'json_object'
  if (listOf(last['tool_calls']).length > 0 || (isNeverJson === true && asksForJson)) {
    return messages
  }
  return [...messages.slice(0, -1), { ...last, [mark]: true }]
}

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
  return member(listOf(outline['messages']).at(-1), 'role') === 'assistant'
}

export function withPrefill(json: JsonRecord, content: string): JsonRecord {
  return { ...json, messages: [...listOf(json['messages']), { role: 'assistant', content }] }
}
