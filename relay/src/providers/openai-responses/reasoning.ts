import { normalizeModelName } from '../../cards/plain-name.ts'
import { type Position, positionMember, positionOf } from '../../form/position.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../json-value.ts'

/*
 * Encrypted reasoning as `reasoning_details` of the assistant's message. Clients of all dialects
 * return those details, so the model continues its reasoning in the next turn. Only the model that
 * encrypted the reasoning can read it.
 */

/** Tells the entries from the details of other providers. */
const FORMAT = 'tg1.responses'

/** Holds the entries while a request is fitted to what chat completions take. */
export const STORED_REASONING = 'stored_reasoning'

export const withStoredReasoning = (message: unknown): unknown =>
  isRecord(message) && 'reasoning_details' in message
    ? { ...message, [STORED_REASONING]: message['reasoning_details'] }
    : message

export type StoredReasoning = { readonly item: JsonRecord; readonly after: Position }

/** Null for an item without encrypted content, which a later request cannot refer to. */
export function storedReasoning(item: unknown, model: string, after: Position): JsonRecord | null {
  const data = textOf(member(item, 'encrypted_content'))
  if (data === '') return null
  return {
    type: 'reasoning.encrypted',
    format: FORMAT,
    id: textOf(member(item, 'id')),
    data,
    model: familyOf(model),
    ...positionMember(after),
  }
}

/** Drops reasoning of other providers and models. */
export function readStoredReasoning(details: unknown, model: string): StoredReasoning[] {
  return listOf(details).flatMap((entry) => {
    if (!isStoredReasoning(entry) || entry['model'] !== familyOf(model)) return []
    const [id, data] = [textOf(entry['id']), textOf(entry['data'])]
    if (data === '') return []
    return {
      item: {
        type: 'reasoning',
        ...(id.startsWith('rs_') ? { id } : {}),
        summary: [],
        encrypted_content: data,
      },
      after: positionOf(entry),
    }
  })
}

export const isStoredReasoning = (entry: unknown): entry is JsonRecord =>
  isRecord(entry) && entry['format'] === FORMAT

/** The same model may be named with and without a date. */
const familyOf = (model: string) => normalizeModelName(model).replace(/-\d{4}-\d\d-\d\d$/, '')
