import type { Language } from '@tollgate/contract'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

/** Root confirms option changes by others that affect who gets into accounts. */
export const confirmOptions = (
  deps: AdminDeps,
  context: CallerContext & { language: Language },
  { ids }: { ids: readonly number[] },
) =>
  deps.settings.confirm(ids, {
    actor: context.caller,
    language: context.language,
    nowSeconds: nowSeconds(deps),
    check: (tx) => reauthorize(tx, deps, context),
  })
