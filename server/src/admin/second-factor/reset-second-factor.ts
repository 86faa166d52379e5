import { AppError, canManage } from '@tollgate/contract'
import { deleteSecondFactors, hasSecondFactor } from '../../store/second-factors.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { lockUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { sessionHash } from '../session/session-hash.ts'
import { notifyOwner } from './notify.ts'
import { requireFactorLeft } from './require-second-factor.ts'

/** For users who lost their devices and recovery codes. Root may reset their own factors. */
export async function resetSecondFactor(deps: AdminDeps, context: CallerContext, id: number) {
  const { database } = deps
  await database.transaction(async (tx) => {
    const user = await lockUser(tx, database.kind, { id })
    if (!user) throw new AppError('user_not_found')
    const caller = await reauthorize(tx, deps, context)
    if (!canManage(caller, user)) throw new AppError('target_not_below')
    if (!(await hasSecondFactor(tx, id))) return
    await deleteSecondFactors(tx, id)
    if (caller.id === id) await requireFactorLeft(tx, deps, user)
    await deleteSessionsOf(tx, id, sessionHash(deps, context))
    await notifyOwner(tx, deps, user, 'reset')
  })
}
