import { randomBytes } from 'node:crypto'
import { type Quota, REDEMPTION_STATUS } from '@tollgate/contract'
import { insertRedemptions } from '../../store/redemptions.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { note } from './note.ts'
import { createdText } from './redemption-notes.ts'
import { requireFuture } from './require-future.ts'

const KEY_BYTES = 16

type Draft = {
  name: string
  quota: Quota
  count: number
  expired_time: number
  batch?: string | undefined
}

/** Creates all codes or none. Returns the codes, 32 hexadecimal digits each. */
export async function createRedemptions(
  deps: AdminDeps,
  context: CallerContext,
  draft: Draft,
): Promise<string[]> {
  const keys = Array.from({ length: draft.count }, () => randomBytes(KEY_BYTES).toString('hex'))
  const { name, quota, expired_time, batch = name } = draft
  requireFuture(deps, expired_time)
  const status = REDEMPTION_STATUS.enabled
  const row = { user_id: context.caller.id, status, name, quota, expired_time, batch }
  const created_time = nowSeconds(deps)
  await deps.database.transaction(async (tx) => {
    const caller = await reauthorize(tx, deps, context)
    await insertRedemptions(
      tx,
      keys.map((key) => ({ ...row, key, created_time })),
    )
    await note(tx, deps, caller, createdText(deps.settings.current(), draft))
  })
  return keys
}
