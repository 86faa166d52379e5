import type { Kysely } from 'kysely'
import type { Database, Tx } from './database.ts'
import { isInList } from './in-list.ts'
import type { Schema, StoredItemsTable } from './schema.ts'

/** What is stored for an id again replaces what was there. */
export async function putStoredItems(
  db: Kysely<Schema>,
  rows: readonly StoredItemsTable[],
): Promise<void> {
  await db
    .insertInto('stored_items')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('id_hash').doUpdateSet((eb) => ({
        sealed: eb.ref('excluded.sealed'),
        bytes: eb.ref('excluded.bytes'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
    .execute()
}

/** `now` is in seconds. */
export const findStoredItems = (
  { kysely, kind }: Pick<Database, 'kysely' | 'kind'>,
  { hashes, now }: { hashes: readonly string[]; now: number },
) =>
  kysely
    .selectFrom('stored_items')
    .select(['id_hash', 'sealed'])
    .where(isInList(kind, 'id_hash', { type: 'text', values: hashes }))
    .where('expires_at', '>', now)
    .execute()

/** The bytes of those of these items that are stored. `now` is in seconds. */
export async function sizeOfStoredItems(
  { kysely, kind }: Pick<Database, 'kysely' | 'kind'>,
  { hashes, now }: { hashes: readonly string[]; now: number },
): Promise<number> {
  const row = await kysely
    .selectFrom('stored_items')
    .select((eb) => eb.fn.sum('bytes').as('bytes'))
    .where(isInList(kind, 'id_hash', { type: 'text', values: hashes }))
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

type Bounds = {
  /** Epoch seconds. */
  readonly now: number
  readonly userBytesMax: number
  readonly bytesMax: number
}

/** So few that a statement holds the writer of SQLite only briefly. */
const ROWS_PER_DELETE = 200

type Old = { readonly id_hash: string; readonly bytes: number }

/** Deletes what has expired, and the oldest rows above the limits. */
export async function trimStoredItems(
  db: Kysely<Schema>,
  { now, userBytesMax, bytesMax }: Bounds,
): Promise<void> {
  const inOrder = db
    .selectFrom('stored_items')
    .select(['id_hash', 'bytes'])
    .orderBy('expires_at')
    .limit(ROWS_PER_DELETE)
  await deleteOldest(db, Infinity, () => inOrder.where('expires_at', '<=', now).execute())
  // An index has the columns of this query, so no stored text is read.
  const users = await db
    .selectFrom('stored_items')
    .select(({ fn }) => ['user_id', fn.sum('bytes').as('bytes')])
    .groupBy('user_id')
    .execute()
  let total = 0
  for (const { user_id, bytes } of users) {
    const excess = Number(bytes) - userBytesMax
    total += Math.min(Number(bytes), userBytesMax)
    await deleteOldest(db, excess, () => inOrder.where('user_id', '=', user_id).execute())
  }
  await deleteOldest(db, total - bytesMax, () => inOrder.execute())
}

/** Deletes rows in the order of `next` until the excess is gone or no row is left. */
async function deleteOldest(
  db: Kysely<Schema>,
  excess: number,
  next: () => Promise<readonly Old[]>,
): Promise<void> {
  for (let left = excess; left > 0;) {
    const rows = await next()
    if (rows.length === 0) return
    const doomed: string[] = []
    for (const { id_hash, bytes } of rows) {
      if (left <= 0) break
      doomed.push(id_hash)
      left -= bytes
    }
    await db.deleteFrom('stored_items').where('id_hash', 'in', doomed).execute()
  }
}

export async function deleteStoredItemsOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('stored_items').where('user_id', '=', userId).execute()
}
