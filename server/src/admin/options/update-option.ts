import { AppError, type Language, LOG_TYPE, OPTIONS } from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import { isOptionKey } from '../../settings/settings.ts'
import { insertNote } from '../../store/logs.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** How much of an old and a new value is noted; tables of prices are long. */
const NOTED_CHARACTERS = 200

type Change = { key: string; value: string }

/** Stores what its schema allows, and notes in the log who changed what. */
export async function updateOption(
  deps: AdminDeps,
  { actor, language }: { actor: Caller; language: Language },
  { key, value }: Change,
) {
  const { settings, database } = deps
  if (!isOptionKey(key)) throw new AppError('option_not_found', { key })
  const valueOf = () => settings.list().find((entry) => entry.key === key)?.value ?? ''
  const before = valueOf()
  const refusal = await settings.update(key, value, language)
  if (refusal) throw new AppError('invalid_field', { field: key, problem: refusal.problem })
  const after = valueOf()
  if (before === after) return
  const short = (text: string) =>
    text.length > NOTED_CHARACTERS ? `${text.slice(0, NOTED_CHARACTERS)}…` : text
  const values = OPTIONS[key].secret ? '' : `: ${short(before)} → ${short(after)}`
  await database.transaction((tx) =>
    insertNote(tx, {
      user_id: actor.id,
      username: actor.username,
      type: LOG_TYPE.manage,
      content: `${OPTIONS[key].label[language]} (${key})${values}`.toWellFormed(),
      created_at: nowSeconds(deps),
    }),
  )
}
