import type { Kysely } from 'kysely'
import { USER_STATUS } from '@tollgate/contract'
import type { Page } from './page.ts'
import { recentIds } from './recent-order.ts'
import type { Schema } from './schema.ts'

/**
 * Every request changes these columns. An index would cost each request more than all lists
 * together.
 */
const CHANGED_BY_REQUESTS = ['quota', 'used_quota', 'request_count'] as const

/** Skipping more rows than this takes longer than reading the page itself. */
const OFFSET_ROWS_MAX = 1000

/** Null if an index leads to the page or the page is too deep. */
export async function recentIdsOfUsers(db: Kysely<Schema>, page: Page): Promise<number[] | null> {
  const { order } = page
  const column = columnOf(page)
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

function columnOf({ p, size, sort = 'id' }: Page) {
  if (sort === 'id') return p * size > OFFSET_ROWS_MAX ? sort : undefined
  return CHANGED_BY_REQUESTS.find((name) => name === sort)
}
