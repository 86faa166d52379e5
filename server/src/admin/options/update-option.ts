import { AppError, isOptionKey, type Language } from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** Stores what its schema allows, together with who changed what. */
export async function updateOption(
  deps: AdminDeps,
  { actor, language }: { actor: Caller; language: Language },
  { key, value }: { key: string; value: string },
) {
  if (!isOptionKey(key)) throw new AppError('option_not_found', { key })
  const by = { actor, language, nowSeconds: nowSeconds(deps) }
  await deps.settings.update({ key, value }, by)
}
