import type { Language } from '@tollgate/contract'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type Asking, reauthorize } from '../reauthorize.ts'

/** Root confirms option changes by others that affect who gets into accounts. */
export const confirmOptions = (
  deps: AdminDeps,
  asking: Asking & { language: Language },
  { ids }: { ids: readonly number[] },
) =>
  deps.settings.confirm(ids, {
    actor: asking.caller,
    language: asking.language,
    nowSeconds: nowSeconds(deps),
    check: (tx) => reauthorize(tx, deps, asking),
  })
