import type { Kysely } from 'kysely'
import type { KeywordQuery } from '@tollgate/contract'
import { beginsWith, idIn } from './like-prefix.ts'
import { IS_UNSETTLED, ofType } from './log-filter.ts'
import { SHOWN_OF_LOG, type ShownLog } from './logs.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/**
 * The newest rows whose type equals the keyword, or whose content in either language begins with
 * it. Charged requests are not searched by content, which is only the arithmetic of their price.
 */
export async function searchLogs(
  db: Db,
  { keyword, size }: KeywordQuery,
  userId?: number,
): Promise<ShownLog[]> {
  const newest = db
    .selectFrom('logs')
    .select('id')
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? 0))
    .orderBy('id', 'desc')
    .limit(size)
  const found =
    keyword === ''
      ? [newest]
      : [
          newest.where(IS_UNSETTLED).where(beginsWith('content', keyword)),
          newest.where(IS_UNSETTLED).where(beginsWith('content_zh', keyword)),
          ofType(newest, idIn(keyword)),
        ]
  const ids = found
    .map((rows) => db.selectFrom(rows.as('found')).select('found.id'))
    .reduce((all, part) => all.unionAll(part))
  return db
    .selectFrom('logs')
    .select(SHOWN_OF_LOG)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .limit(size)
    .execute()
}
