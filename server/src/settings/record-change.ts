import { type InBoth, LOG_TYPE, type OptionKey, OPTIONS } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import { insertNote } from '../store/logs.ts'
import { insertOptionChange } from '../store/options.ts'
import type { Editor } from './editor.ts'

export type RecordedChange = { key: OptionKey; before: string; after: string }

/** Longer values are left out of the log note; the option history has them in full. */
const NOTED_CHARACTERS_MAX = 100

export async function record(tx: Tx, change: RecordedChange & { confirmed: 0 | 1 }, by: Editor) {
  await insertOptionChange(tx, {
    ...change,
    actor_id: by.actor.id,
    actor_name: by.actor.username,
    created_at: by.nowSeconds,
  })
  await note(tx, changeText(change), by)
}

export const note = (tx: Tx, content: InBoth, { actor, nowSeconds }: Editor) =>
  insertNote(tx, {
    user_id: actor.id,
    username: actor.username,
    type: LOG_TYPE.manage,
    content,
    created_at: nowSeconds,
  })

function changeText({ key, before, after }: RecordedChange): InBoth {
  const isShort = Math.max(before.length, after.length) <= NOTED_CHARACTERS_MAX
  const { label } = OPTIONS[key]
  const what = ` (${key})${isShort ? `: ${before} → ${after}` : ''}`
  return { en: `${label.en}${what}`, zh: `${label.zh}${what}` }
}

export function confirmationText(change: RecordedChange): InBoth {
  const { en, zh } = changeText(change)
  return { en: `Confirmed: ${en}`, zh: `已确认修改：${zh}` }
}
