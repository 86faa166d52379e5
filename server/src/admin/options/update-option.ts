import { AppError, isOptionKey, type Language } from '@tollgate/contract'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type Asking, requireStillIn } from '../still-in.ts'

/** Stores what its schema allows, together with who changed what. */
export async function updateOption(
  deps: AdminDeps,
  asking: Asking & { language: Language },
  { key, value }: { key: string; value: string },
) {
  if (!isOptionKey(key)) throw new AppError('option_not_found', { key })
  await deps.settings.update(
    { key, value },
    {
      actor: asking.caller,
      language: asking.language,
      nowSeconds: nowSeconds(deps),
      check: (tx) => requireStillIn(tx, deps, asking),
    },
  )
}
