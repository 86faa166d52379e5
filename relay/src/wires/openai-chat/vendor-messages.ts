import {
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  member,
  omit,
} from '../../bytes/json-value.ts'
import type { PrefillSupport, ProviderDescriptor } from '../../provider.ts'

/** Whether messages may have to change for the provider. */
export const changesMessages = ({ prefill }: ProviderDescriptor): boolean => prefill !== undefined

/** The messages in the provider's form; the same list if nothing changes. */
export function vendorMessages(
  json: JsonRecord,
  { prefill: continuesText }: ProviderDescriptor,
): readonly unknown[] {
  const messages = listOf(json['messages'])
  return continuesText === undefined ? messages : markPrefill(messages, json, continuesText)
}

const REASONING = 'reasoning_content'

export const hasReasoning = ({ messages }: JsonRecord): boolean =>
  Array.isArray(messages) && messages.some(holdsReasoning)

const holdsReasoning = (message: unknown) => member(message, REASONING) !== undefined

export const withoutReasoning = (json: JsonRecord): JsonRecord => ({
  ...json,
  messages: mapRecords(listOf(json['messages']), (message) => omit(message, REASONING)),
})

/** Marks an answer that the client prefilled, unless the client set the mark itself. */
function markPrefill(
  messages: readonly unknown[],
  json: JsonRecord,
  { member: mark, excludesJson: isNeverJson }: PrefillSupport,
): readonly unknown[] {
  const last = messages.at(-1)
  if (!isRecord(last) || last['role'] !== 'assistant' || last[mark] !== undefined) return messages
  const asksForJson = member(json['response_format'], 'type') === 'json_object'
  if (listOf(last['tool_calls']).length > 0 || (isNeverJson === true && asksForJson)) {
    return messages
  }
  return [...messages.slice(0, -1), { ...last, [mark]: true }]
}
