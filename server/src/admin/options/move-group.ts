import type { Language } from '@tollgate/contract'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

/** Moves the users and channels of a group to another one, and removes the group. */
export const moveGroup = (
  deps: AdminDeps,
  context: CallerContext & { language: Language },
  move: { from: string; to: string },
) =>
  deps.settings.moveGroup(move, {
    actor: context.caller,
    language: context.language,
    nowSeconds: nowSeconds(deps),
    check: (tx) => reauthorize(tx, deps, context),
  })
