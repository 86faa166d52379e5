import { AppError, type InBoth, LOG_TYPE, type Seconds } from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import { deleteLogsBefore } from '../../store/delete-logs.ts'
import { insertNote } from '../../store/logs.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** Deletes the rows before a moment that has passed; a row that is written after them tells of it. */
export async function deleteLogs(
  deps: AdminDeps,
  { actor, target }: { actor: Caller; target: Seconds },
): Promise<number> {
  const { database } = deps
  const now = nowSeconds(deps)
  if (target > now) throw new AppError('log_target_in_future', { limit: now })
  const count = await deleteLogsBefore(database.kysely, target)
  await database.transaction((tx) =>
    insertNote(tx, {
      user_id: actor.id,
      username: actor.username,
      type: LOG_TYPE.manage,
      content: deletionText({ count, target }),
      created_at: nowSeconds(deps),
    }),
  )
  return count
}

function deletionText({ count, target }: { count: number; target: Seconds }): InBoth {
  const moment = new Date(target * 1000).toISOString()
  return {
    en: `An administrator deleted ${count} log rows from before ${moment}`,
    zh: `管理员清理了 ${moment} 之前的 ${count} 条日志`,
  }
}
