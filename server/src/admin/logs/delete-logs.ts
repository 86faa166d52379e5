import { type InBoth, LOG_TYPE, type Seconds } from '@tollgate/contract'
import { deleteLogsBefore } from '../../store/delete-logs.ts'
import { insertNote } from '../../store/logs.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

/**
 * Deletes rows older than a timestamp, at most now, because callers' clocks may be ahead. A row
 * written afterwards records the deletion, even if the caller has lost the role meanwhile.
 */
export async function deleteLogs(
  deps: AdminDeps,
  context: CallerContext,
  before: Seconds,
): Promise<number> {
  const { database } = deps
  const { caller } = context
  const target = Math.min(before, nowSeconds(deps))
  await database.transaction((tx) => reauthorize(tx, deps, context))
  const count = await deleteLogsBefore(database, target)
  await database.transaction((tx) =>
    insertNote(tx, {
      user_id: caller.id,
      username: caller.username,
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
