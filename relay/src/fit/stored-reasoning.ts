import { isRecord, type JsonRecord, member, textOf } from '../bytes/json-value.ts'
import { normalizeModelName } from '../cards/plain-name.ts'
import type { Seal } from '../form/events.ts'
import { type Position, positionMember } from '../form/position.ts'

/*
 * Encrypted reasoning as `reasoning_details` of the assistant's message. Clients of all dialects
 * return those details, so the model continues its reasoning in the next turn. Only the model that
 * encrypted the reasoning can read it.
 */

/** Tells the entries from the details of other providers. */
const FORMAT = 'tg1.responses'

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

/** The item of the same model's reasoning; null for other reasoning. */
export function ownReasoning({ value }: Seal, model: string): JsonRecord | null {
  if (!isStoredReasoning(value) || value['model'] !== familyOf(model)) return null
  const [id, data] = [textOf(value['id']), textOf(value['data'])]
  if (data === '') return null
  return {
    type: 'reasoning',
    ...(id.startsWith('rs_') ? { id } : {}),
    summary: [],
    encrypted_content: data,
  }
}

export const isStoredReasoning = (entry: unknown): entry is JsonRecord =>
  isRecord(entry) && entry['format'] === FORMAT

/** The same model may be named with and without a date. */
const familyOf = (model: string) => normalizeModelName(model).replace(/-\d{4}-\d\d-\d\d$/, '')
