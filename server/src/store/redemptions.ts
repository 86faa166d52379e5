import { type Insertable, type Kysely, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import {
  BATCHES_MAX,
  type KeywordQuery,
  REDEMPTION_STATES,
  REDEMPTION_STATUS,
  type RedemptionBatch,
  type RedemptionFilter,
  type Seconds,
  USER_STATUS,
} from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import { containsText, idIn } from './like-prefix.ts'
import { type Page, readPage } from './page.ts'
import type { RedemptionsTable, Schema } from './schema.ts'

type Db = Kysely<Schema>
type RedemptionState = (typeof REDEMPTION_STATES)[number]

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
  'batch',
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

export const listRedemptions = (
  db: Db,
  { filter, now, ...page }: Page & { filter: RedemptionFilter; now: Seconds },
) => readPage(db, matching(shown(db), { filter, now }), page)

const DAY_SECONDS = 86_400
const EXPIRY_DAYS = { week: 7, month: 30 } as const

function matching<Row>(
  query: SelectQueryBuilder<Schema, 'redemptions', Row>,
  { filter: { keyword, batch, state, expiry }, now }: { filter: RedemptionFilter; now: Seconds },
): SelectQueryBuilder<Schema, 'redemptions', Row> {
  let found = query
  if (keyword !== '') found = found.where(isFound(keyword))
  if (batch !== '') found = found.where('batch', '=', batch)
  if (state !== '') found = found.where(stateIs(state, now))
  if (expiry === 'never') found = found.where('expired_time', '=', 0)
  else if (expiry !== '') {
    found = found
      .where('expired_time', '>', now)
      .where('expired_time', '<=', now + EXPIRY_DAYS[expiry] * DAY_SECONDS)
  }
  return found
}

const { enabled, disabled, used } = REDEMPTION_STATUS

function stateIs(state: RedemptionState, now: Seconds) {
  if (state === 'used') return sql<boolean>`redemptions.status = ${used}`
  if (state === 'disabled') return sql<boolean>`redemptions.status = ${disabled}`
  const hasExpired = sql<boolean>`(expired_time <> 0 and expired_time <= ${now})`
  return state === 'expired'
    ? sql<boolean>`redemptions.status = ${enabled} and ${hasExpired}`
    : sql<boolean>`redemptions.status = ${enabled} and not ${hasExpired}`
}

const isFound = (keyword: string) =>
  sql<boolean>`(redemptions.id = ${idIn(keyword)} or redemptions.key = ${keyword}
    or ${containsText(['redemptions.name'], keyword)})`

const wasDisabledWithBatch = sql<boolean>`redemptions.status = ${disabled}
  and redemptions.disabled_with_batch = 1`

/** The newest batches first. */
export async function listBatches(db: Db, now: Seconds): Promise<RedemptionBatch[]> {
  const countOf = (state: RedemptionState) =>
    sql<number>`sum(case when ${stateIs(state, now)} then 1 else 0 end)`.as(state)
  const rows = await db
    .selectFrom('redemptions')
    .where('batch', '<>', '')
    .select((eb) => ['batch', eb.fn.min('created_time').as('created_time')])
    .select(REDEMPTION_STATES.map(countOf))
    .select(
      sql<number>`sum(case when ${stateIs('unused', now)} then quota else 0 end)`.as(
        'unused_quota',
      ),
    )
    .select(
      sql<number>`sum(case when ${wasDisabledWithBatch} then 1 else 0 end)`.as(
        'disabled_with_batch',
      ),
    )
    .groupBy('batch')
    .orderBy((eb) => eb.fn.max('id'), 'desc')
    .limit(BATCHES_MAX)
    .execute()
  return rows.map(({ batch, ...sums }) => ({
    batch,
    created_time: Number(sums.created_time),
    unused: Number(sums.unused),
    used: Number(sums.used),
    disabled: Number(sums.disabled),
    disabled_with_batch: Number(sums.disabled_with_batch),
    expired: Number(sums.expired),
    unused_quota: Number(sums.unused_quota),
  }))
}

/**
 * Disables the enabled codes of a batch, or enables those that were disabled with it. Returns how
 * many codes changed. A used code never changes.
 */
export async function setStatusOfBatch(
  tx: Tx,
  { batch, to }: { batch: string; to: typeof enabled | typeof disabled },
): Promise<number> {
  const isDisabling = to === disabled
  const { numUpdatedRows } = await tx
    .updateTable('redemptions')
    .set({ status: to, disabled_with_batch: isDisabling ? 1 : 0 })
    .where('batch', '=', batch)
    .where(isDisabling ? sql<boolean>`redemptions.status = ${enabled}` : wasDisabledWithBatch)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Matches an exact id, an exact code or a part of the name. */
export async function searchRedemptions(db: Db, { keyword, size }: KeywordQuery) {
  return shown(db).where(isFound(keyword)).orderBy('id', 'desc').limit(size).execute()
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
  'name' | 'quota' | 'status' | 'expired_time' | 'disabled_with_batch'
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
