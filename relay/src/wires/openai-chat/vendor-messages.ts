import {
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  member,
  omit,
  textOf,
} from '../../bytes/json-value.ts'
import { MISTRAL_IDS } from '../../cards/alphabets.ts'
import { escapeId } from '../../fit/ids.ts'
import type { PrefillSupport, ProviderDescriptor } from '../../provider.ts'

type Change = (message: JsonRecord) => JsonRecord

/** Whether messages may have to change for the provider. */
export const changesMessages = (descriptor: ProviderDescriptor): boolean =>
  descriptor.renameRoles !== undefined ||
  descriptor.dropMessageFields !== undefined ||
  descriptor.requiresShortCallIds === true ||
  descriptor.prefill !== undefined

/** The messages in the provider's form; the same list if nothing changes. */
export function vendorMessages(
  json: JsonRecord,
  {
    prefill: continuesText,
    dropMessageFields: dropped,
    renameRoles,
    requiresShortCallIds: hasShortCallIds,
  }: ProviderDescriptor,
): readonly unknown[] {
  let messages: readonly unknown[] = listOf(json['messages'])
  if (renameRoles !== undefined) messages = mapRecords(messages, withRole(renameRoles))
  if (dropped !== undefined) messages = mapRecords(messages, withoutFields(dropped))
  if (hasShortCallIds === true) messages = mapRecords(messages, withShortIds)
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

function withRole(roles: Readonly<Record<string, string>>): Change {
  return (message) => {
    const role = member(roles, textOf(message['role']))
    return role === undefined ? message : { ...message, role }
  }
}

/** A result keeps the name of its tool. */
const withoutFields =
  (names: readonly string[]): Change =>
  (message) => {
    const isDropped = (name: string) =>
      name in message && (name !== 'name' || message['role'] !== 'tool')
    const dropped = names.filter(isDropped)
    return dropped.length === 0 ? message : omit(message, ...dropped)
  }

/** Shortens ids of calls and results, which may come from other providers. */
function withShortIds(message: JsonRecord): JsonRecord {
  const { tool_calls: calls } = message
  const shortened = Array.isArray(calls) ? mapRecords(calls, withShort('id')) : calls
  const rest = withShort('tool_call_id')(message)
  return shortened === calls ? rest : { ...rest, tool_calls: shortened }
}

function withShort(name: 'id' | 'tool_call_id'): Change {
  return (item) => {
    const id = item[name]
    const fitted = typeof id === 'string' ? escapeId(id, MISTRAL_IDS) : id
    return fitted === id ? item : { ...item, [name]: fitted }
  }
}

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
