import { AppError } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { replaceRecoveryCodes } from '../../store/second-factors.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { lockUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type Asking, reauthorize } from '../reauthorize.ts'
import { sessionHash } from '../session/session-hash.ts'
import { type FactorEvent, notifyOwner } from './notify.ts'
import { requireFactorLeft } from './require-second-factor.ts'

type Kind = {
  /** What the owner is mailed; nothing without. */
  event?: FactorEvent
  /** A session may be a thief's, who could sign in anew without the factor. */
  endsSessions?: boolean
  /** Recovery codes go with the last factor they stand in for. */
  removes?: boolean
}

/** A change of the caller's own second factors: one at a time, and while they are still signed in. */
export async function changeFactors<Result>(
  deps: AdminDeps,
  asking: Asking,
  { event, endsSessions = true, removes = false }: Kind,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const { database } = deps
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, database.kind, { id: asking.caller.id })
    await reauthorize(tx, deps, asking)
    if (!user) throw new AppError('not_signed_in')
    const result = await change(tx)
    if (removes) {
      const { hasFactor } = await requireFactorLeft(tx, deps, user)
      if (!hasFactor) await replaceRecoveryCodes(tx, user.id, [])
    }
    if (endsSessions) await deleteSessionsOf(tx, user.id, sessionHash(deps, asking))
    if (event !== undefined) await notifyOwner(tx, deps, user, event)
    return result
  })
}
