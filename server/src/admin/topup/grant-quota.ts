import { randomUUID } from 'node:crypto'
import { AppError, canManage, LOG_TYPE, type Quota } from '@tollgate/contract'
import { insertNote } from '../../store/logs.ts'
import { lockUser } from '../../store/users.ts'
import { isRepeated, assertCredited } from '../assert-credited.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { grantText } from './topup-notes.ts'

/** The ledger's reason for a grant without a remark. */
export const API_TOP_UP_REASON = 'top-up by an administrator'

type Grant = { user_id: number; quota: Quota; remark: string; transaction_id?: string | undefined }

/** Adds quota to a user. A repeated transaction id adds nothing. */
export async function grantQuota(
  deps: AdminDeps,
  context: CallerContext,
  { user_id, quota, remark, transaction_id }: Grant,
): Promise<{ quota: Quota; repeated: boolean }> {
  const { database, ledger, settings } = deps
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, database.kind, { id: user_id })
    if (!user) throw new AppError('user_not_found')
    const caller = await reauthorize(tx, deps, context)
    if (!canManage(caller, user)) throw new AppError('target_not_below')
    const outcome = await ledger.credit(tx, {
      kind: 'user',
      ownerId: user.id,
      amount: quota,
      reason: remark === '' ? API_TOP_UP_REASON : remark,
      source: `topup:${transaction_id ?? randomUUID()}`,
      actorId: caller.id,
    })
    if (isRepeated(outcome, transaction_id)) return { quota, repeated: true }
    assertCredited(outcome, 'user_not_found')
    await insertNote(tx, {
      user_id: user.id,
      username: user.username,
      type: LOG_TYPE.topup,
      content: remark === '' ? grantText(settings.current(), quota) : remark,
      quota,
      created_at: nowSeconds(deps),
    })
    return { quota, repeated: false }
  })
}
