import type { Kysely } from 'kysely'
import type { Page } from './page.ts'
import type { Schema } from './schema.ts'
import { createTtlMemo, type TtlMemo } from './ttl-memo.ts'

type Db = Kysely<Schema>

/** Pages beyond this row are sorted on request. */
const ORDERED_MAX = 10_000

const recents = new WeakMap<Db, TtlMemo<number[]>>()

type Order = {
  /** Identifies this order in the memo. */
  key: string
  page: Page
  /** Ids of the first `limit` rows. */
  read: (limit: number) => Promise<{ id: number }[]>
  /** Orders with fewer ids are not used. */
  minIds?: number
}

/**
 * Ids of a page from an order that may be some seconds old, for lists that take long to sort. Null
 * if the page must be sorted now.
 */
export async function recentIds(
  db: Db,
  { key, page: { p, size, before }, read, minIds = 0 }: Order,
): Promise<number[] | null> {
  const end = (p + 1) * size
  if (before !== undefined || end > ORDERED_MAX) return null
  const recent = recents.get(db) ?? createTtlMemo<number[]>()
  recents.set(db, recent)
  const ids = await recent(key, async () => (await read(ORDERED_MAX)).map(({ id }) => id))
  return ids.length < minIds ? null : ids.slice(p * size, end)
}

/**
 * Prevents a row that this process deleted from leaving a gap in a page, which would look like the
 * end of the list.
 */
export const forgetOrders = (db: Db) => recents.delete(db)

/** Sorts rows by the position of their id. Ids without a row are skipped. */
export function inOrder<Row extends { id: number }>(ids: readonly number[], rows: readonly Row[]) {
  return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}
