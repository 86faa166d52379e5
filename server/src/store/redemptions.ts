import { type Insertable, type Kysely, sql, type Updateable } from 'kysely'
import { type KeywordQuery, REDEMPTION_STATUS, USER_STATUS } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import { beginsWith, idIn } from './like-prefix.ts'
import { type Page, readPage } from './page.ts'
import type { RedemptionsTable, Schema } from './schema.ts'

type Db = Kysely<Schema>

const SHOWN = [
  'id',
  'user_id',
  'key',
  'status',
  'name',
  'quota',
  'created_time',
  'redeemed_time',
  'redeemed_by',
  'expired_time',
] as const

const shown = (db: Db) =>
  db
    .selectFrom('redemptions')
    .select(SHOWN)
    .select((eb) =>
      eb.fn
        .coalesce(
          eb
            .selectFrom('users')
            .select('username')
            .whereRef('users.id', '=', 'redemptions.redeemed_by')
            .where('users.status', '<>', USER_STATUS.deleted),
          sql.lit(''),
        )
        .as('redeemed_by_name'),
    )

export const listRedemptions = (db: Db, page: Page) => readPage(db, shown(db), page)

/** Matches an exact id, an exact code or a prefix of the name. */
export async function searchRedemptions(db: Db, { keyword, size }: KeywordQuery) {
  return shown(db)
    .where((eb) =>
      eb.or([
        eb('id', '=', idIn(keyword)),
        eb('key', '=', keyword),
        beginsWith('redemptions.name', keyword),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(size)
    .execute()
}

export type ShownRedemption = Awaited<ReturnType<typeof searchRedemptions>>[number]

export async function findRedemption(db: Db, id: number) {
  return shown(db).where('id', '=', id).executeTakeFirst()
}

/** Locks the code until the transaction ends. To avoid deadlocks, lock the code before any user. */
export async function lockRedemption(tx: Tx, kind: Database['kind'], id: number) {
  return shown(tx)
    .where('id', '=', id)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function findRedemptionByKey(db: Db, key: string) {
  return shown(db).where('key', '=', key).executeTakeFirst()
}

export async function insertRedemptions(tx: Tx, rows: readonly Insertable<RedemptionsTable>[]) {
  await tx.insertInto('redemptions').values(rows).execute()
}

export type RedemptionChange = Pick<
  Updateable<RedemptionsTable>,
  'name' | 'quota' | 'status' | 'expired_time'
>

export async function updateRedemption(tx: Tx, id: number, change: RedemptionChange) {
  await tx.updateTable('redemptions').set(change).where('id', '=', id).execute()
}

export async function deleteRedemption(tx: Tx, id: number) {
  await tx.deleteFrom('redemptions').where('id', '=', id).execute()
}

/**
 * Marks a code as used; undefined if it cannot be used. Exactly one of several concurrent callers
 * succeeds.
 */
export async function spendRedemption(
  tx: Tx,
  { key, userId, now }: { key: string; userId: number; now: number },
) {
  return tx
    .updateTable('redemptions')
    .set({ status: REDEMPTION_STATUS.used, redeemed_time: now, redeemed_by: userId })
    .where('key', '=', key)
    .where('status', '=', REDEMPTION_STATUS.enabled)
    .where((eb) => eb.or([eb('expired_time', '=', 0), eb('expired_time', '>', now)]))
    .returning(['id', 'quota'])
    .executeTakeFirst()
}
