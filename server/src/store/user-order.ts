import type { Kysely } from 'kysely'
import { USER_STATUS } from '@tollgate/contract'
import type { Page } from './page.ts'
import { recentIds } from './recent-order.ts'
import type { Schema } from './schema.ts'

/** Every request changes these: an index would cost each of them more than all lists together. */
const CHANGED_BY_REQUESTS = ['quota', 'used_quota', 'request_count'] as const

/** Null where an index has the order, or the page is far. */
export async function recentIdsOfUsers(db: Kysely<Schema>, page: Page): Promise<number[] | null> {
  const { sort, order } = page
  const column = CHANGED_BY_REQUESTS.find((name) => name === sort)
  if (column === undefined) return null
  const read = (limit: number) =>
    db
      .selectFrom('users')
      .select('id')
      .where('status', '<>', USER_STATUS.deleted)
      .orderBy(column, order)
      .orderBy('id', order)
      .limit(limit)
      .execute()
  return recentIds(db, { key: `users ${column} ${order}`, page, read })
}
