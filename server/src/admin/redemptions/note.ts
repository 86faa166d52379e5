import { type InBoth, LOG_TYPE } from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import type { Tx } from '../../store/database.ts'
import { insertNote } from '../../store/logs.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** Codes are worth money, so every creation and change is logged. */
export async function note(tx: Tx, deps: AdminDeps, caller: Caller, content: InBoth) {
  await insertNote(tx, {
    user_id: caller.id,
    username: caller.username,
    type: LOG_TYPE.manage,
    content,
    created_at: nowSeconds(deps),
  })
}
