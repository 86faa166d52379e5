import { type InBoth, LOG_TYPE } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { insertNote } from '../../store/logs.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type Asking, requireStillIn } from '../still-in.ts'

/** Codes are money, so whoever makes or changes one leaves a row in the log. */
export async function note(tx: Tx, deps: AdminDeps, asking: Asking, content: InBoth) {
  const caller = await requireStillIn(tx, deps, asking)
  await insertNote(tx, {
    user_id: caller.id,
    username: caller.username,
    type: LOG_TYPE.manage,
    content,
    created_at: nowSeconds(deps),
  })
}
