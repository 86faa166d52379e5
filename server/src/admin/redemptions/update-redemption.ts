import { AppError, type Quota, REDEMPTION_STATUS } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import {
  deleteRedemption as removeRedemption,
  lockRedemption,
  type ShownRedemption,
  updateRedemption as saveRedemption,
} from '../../store/redemptions.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { note } from './note.ts'
import { deletedText, editedText, switchedText } from './redemption-notes.ts'
import { requireFuture } from './require-future.ts'

type Edit = { id: number; name: string; quota: Quota; expired_time?: number | undefined }

export async function updateRedemption(
  deps: AdminDeps,
  context: CallerContext,
  { id, name, quota, expired_time: given }: Edit,
): Promise<ShownRedemption> {
  return deps.database.transaction(async (tx) => {
    const code = await lockUnused(tx, deps, id)
    const caller = await reauthorize(tx, deps, context)
    const expired_time = given ?? code.expired_time
    if (expired_time !== code.expired_time) requireFuture(deps, expired_time)
    await saveRedemption(tx, id, { name, quota, expired_time })
    if (quota !== code.quota) {
      const change = { id, before: code.quota, after: quota }
      await note(tx, deps, caller, editedText(deps.settings.current(), change))
    }
    return { ...code, name, quota, expired_time }
  })
}

export async function setRedemptionStatus(
  deps: AdminDeps,
  context: CallerContext,
  { id, status }: { id: number; status?: number | undefined },
): Promise<ShownRedemption> {
  if (status !== REDEMPTION_STATUS.enabled && status !== REDEMPTION_STATUS.disabled) {
    throw new AppError('status_invalid')
  }
  return deps.database.transaction(async (tx) => {
    const code = await lockUnused(tx, deps, id)
    const caller = await reauthorize(tx, deps, context)
    // Also for a code that is disabled already: from now on it stays so without its batch.
    await saveRedemption(tx, id, { status, disabled_with_batch: 0 })
    if (code.status === status) return code
    const change = { ...code, isEnabled: status === REDEMPTION_STATUS.enabled }
    await note(tx, deps, caller, switchedText(deps.settings.current(), change))
    return { ...code, status }
  })
}

/** Used codes can be deleted too: the ledger keeps their bookings. */
export async function deleteRedemption(deps: AdminDeps, context: CallerContext, id: number) {
  await deps.database.transaction(async (tx) => {
    const code = await lockCode(tx, deps, id)
    const caller = await reauthorize(tx, deps, context)
    await removeRedemption(tx, id)
    await note(tx, deps, caller, deletedText(deps.settings.current(), code))
  })
}

async function lockUnused(tx: Tx, deps: AdminDeps, id: number): Promise<ShownRedemption> {
  const code = await lockCode(tx, deps, id)
  if (code.status === REDEMPTION_STATUS.used) throw new AppError('redemption_is_used')
  return code
}

async function lockCode(tx: Tx, { database }: AdminDeps, id: number): Promise<ShownRedemption> {
  const code = await lockRedemption(tx, database.kind, id)
  if (!code) throw new AppError('redemption_not_found')
  return code
}
