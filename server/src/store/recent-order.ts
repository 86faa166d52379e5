import type { Kysely } from 'kysely'
import type { Page } from './page.ts'
import type { Schema } from './schema.ts'
import { createTtlMemo, type TtlMemo } from './ttl-memo.ts'

type Db = Kysely<Schema>

/** Pages beyond are sorted when they are asked for. */
const ORDERED_MAX = 10_000

const recents = new WeakMap<Db, TtlMemo<number[]>>()

type Order = {
  /** Tells this order from all others. */
  key: string
  page: Page
  /** The ids of the first `limit` rows. */
  read: (limit: number) => Promise<{ id: number }[]>
  /** An order of fewer ids is not used. */
  least?: number
}

/** The ids of a page in an order of some seconds ago, for what takes long to sort; null where it is to be sorted now. */
export async function recentIds(
  db: Db,
  { key, page: { p, size, before }, read, least = 0 }: Order,
): Promise<number[] | null> {
  const end = (p + 1) * size
  if (before !== undefined || end > ORDERED_MAX) return null
  const recent = recents.get(db) ?? createTtlMemo<number[]>()
  recents.set(db, recent)
  const ids = await recent(key, async () => (await read(ORDERED_MAX)).map(({ id }) => id))
  return ids.length < least ? null : ids.slice(p * size, end)
}

/** What was deleted by this process leaves no hole in a page, which would look like the end of the list. */
export const forgetOrders = (db: Db) => recents.delete(db)

/** Rows in the order of these ids; one that is gone meanwhile is left out. */
export function inOrder<Row extends { id: number }>(ids: readonly number[], rows: readonly Row[]) {
  return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}
