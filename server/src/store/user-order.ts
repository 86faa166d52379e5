import type { Kysely } from 'kysely'
import { USER_STATUS } from '@tollgate/contract'
import type { Page } from './page.ts'
import { createRecent, type Recent } from './recent.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Every request changes these: an index would cost each of them more than all lists together. */
const CHANGED_BY_REQUESTS = ['quota', 'used_quota', 'request_count'] as const

/** Pages beyond are sorted when they are asked for. */
const ORDERED_MAX = 10_000

const recents = new WeakMap<Db, Recent<number[]>>()

/** The ids of a page in an order of some seconds ago; null where an index has the order. */
export async function recentIdsOfUsers(
  db: Db,
  { sort, order, p, size, before }: Page,
): Promise<number[] | null> {
  const column = CHANGED_BY_REQUESTS.find((name) => name === sort)
  const end = (p + 1) * size
  if (column === undefined || before !== undefined || end > ORDERED_MAX) return null
  const recent = recents.get(db) ?? createRecent<number[]>()
  recents.set(db, recent)
  const ids = await recent(`${column} ${order}`, async () => {
    const rows = await db
      .selectFrom('users')
      .select('id')
      .where('status', '<>', USER_STATUS.deleted)
      .orderBy(column, order)
      .orderBy('id', order)
      .limit(ORDERED_MAX)
      .execute()
    return rows.map(({ id }) => id)
  })
  return ids.slice(p * size, end)
}
