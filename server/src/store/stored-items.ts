import { type Kysely, sql } from 'kysely'
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

type Bounds = {
  /** Epoch seconds. */
  readonly now: number
  readonly userBytesMax: number
  readonly bytesMax: number
}

/** Deletes what has expired, and the oldest rows above the limits. */
export async function trimStoredItems(
  db: Kysely<Schema>,
  { now, userBytesMax, bytesMax }: Bounds,
): Promise<void> {
  await db.deleteFrom('stored_items').where('expires_at', '<=', now).execute()
  await sql`delete from stored_items where id_hash in (
    select id_hash from (
      select id_hash,
        sum(bytes) over (partition by user_id order by expires_at desc, id_hash) as of_user,
        sum(bytes) over (order by expires_at desc, id_hash) as of_all
      from stored_items
    ) as sums
    where of_user > ${userBytesMax} or of_all > ${bytesMax}
  )`.execute(db)
}

export async function deleteStoredItemsOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('stored_items').where('user_id', '=', userId).execute()
}
