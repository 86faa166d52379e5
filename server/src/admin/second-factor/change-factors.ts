import { AppError } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { replaceRecoveryCodes } from '../../store/second-factors.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { lockUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { sessionHash } from '../session/session-hash.ts'
import { type FactorEvent, notifyOwner } from './notify.ts'
import { requireFactorLeft } from './require-second-factor.ts'

type Kind = {
  /** The mail to the owner; undefined sends none. */
  event?: FactorEvent
  /** Other sessions may be a thief's, who could log in again if the factor is removed. */
  endsSessions?: boolean
  /** Recovery codes are removed with the last factor they replace. */
  removes?: boolean
}

/**
 * Changes the caller's second factors. The user lock serializes changes; the caller is authorized
 * again.
 */
export async function changeFactors<Result>(
  deps: AdminDeps,
  context: CallerContext,
  { event, endsSessions = true, removes = false }: Kind,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const { database } = deps
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, database.kind, { id: context.caller.id })
    await reauthorize(tx, deps, context)
    if (!user) throw new AppError('not_signed_in')
    const result = await change(tx)
    if (removes) {
      const { hasFactor } = await requireFactorLeft(tx, deps, user)
      if (!hasFactor) await replaceRecoveryCodes(tx, user.id, [])
    }
    if (endsSessions) await deleteSessionsOf(tx, user.id, sessionHash(deps, context))
    if (event !== undefined) await notifyOwner(tx, deps, user, event)
    return result
  })
}
