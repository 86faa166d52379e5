import type { Insertable, Kysely, SelectQueryBuilder, Updateable } from 'kysely'
import type { KeywordQuery } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import { isInList } from './in-list.ts'
import { containsText } from './like-prefix.ts'
import { type Page, pageOf, readPage, totalOf } from './page.ts'
import { inOrder, recentIds } from './recent-order.ts'
import type { Schema, TokensTable } from './schema.ts'

type Db = Kysely<Schema>

const SHOWN = [
  'id',
  'user_id',
  'key_sealed',
  'status',
  'name',
  'created_time',
  'accessed_time',
  'expired_time',
  'remain_quota',
  'quota_leased',
  'unlimited_quota',
  'used_quota',
  'budget_quota',
  'budget_period',
  'models',
  'subnet',
] as const

/** Tokens of one user that are not deleted. A deleted token keeps its row, without a key. */
const ownTokens = (db: Db, userId: number) =>
  db
    .selectFrom('tokens')
    .select(SHOWN)
    .where('user_id', '=', userId)
    .where('key_hash', 'is not', null)

/**
 * Above this number of tokens, their order is cached for at least a second. Fewer are sorted per
 * page.
 */
const SORTED_ANEW_MAX = 500

type Of = { userId: number; page: Page }

export async function findTokenNames(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('tokens').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function findTokenOwners(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { id: number; username: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.id as token', 'users.id', 'users.username'])
    .where('tokens.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ token, id, username }) => [token, { id, username }]))
}

export async function listTokens(db: Db, userId: number, page: Page) {
  const own = ownTokens(db, userId)
  const ids = await recentIdsOfTokens(db, { userId, page })
  if (ids === null) return readPage(db, own.$call(ordered(page)), page)
  const found = ids.length === 0 ? [] : await own.where('id', 'in', ids).execute()
  return { rows: inOrder(ids, found), total: await totalOf(db, own, { page, found: page.size }) }
}

async function recentIdsOfTokens(db: Db, { userId, page }: Of): Promise<number[] | null> {
  const { sort, order } = page
  if (sort === undefined || sort === 'id') return null
  const sorted = ownTokens(db, userId).clearSelect().select('id').$call(ordered(page))
  const read = (limit: number) => pageOf(sorted, { ...page, p: 0, size: limit }).execute()
  const key = `tokens of ${userId} ${sort} ${order}`
  return recentIds(db, { key, page, read, minIds: SORTED_ANEW_MAX + 1 })
}

/** An unlimited token sorts above every limited token. */
const ordered =
  ({ sort, order }: Page) =>
  <Row>(tokens: SelectQueryBuilder<Schema, 'tokens', Row>) =>
    sort === 'remain_quota' ? tokens.orderBy('unlimited_quota', order) : tokens

/** Tokens whose name contains the keyword, the newest first. */
export async function searchTokens(db: Db, userId: number, { keyword, size }: KeywordQuery) {
  return ownTokens(db, userId)
    .where(containsText(['name'], keyword))
    .orderBy('id', 'desc')
    .limit(size)
    .execute()
}

export type ShownToken = Awaited<ReturnType<typeof searchTokens>>[number]

/** What tokens have spent of their budgets in the periods with these start times. */
export function listSpent(
  db: Db,
  kind: Database['kind'],
  budgets: { tokenIds: readonly number[]; periodStarts: readonly number[] },
) {
  return db
    .selectFrom('token_budgets')
    .select(['token_id', 'period_start', 'spent'])
    .where(isInList(kind, 'token_id', { type: 'bigint', values: budgets.tokenIds }))
    .where(isInList(kind, 'period_start', { type: 'bigint', values: budgets.periodStarts }))
    .execute()
}

type Owned = { userId: number; id: number }

export async function findToken(db: Db, { userId, id }: Owned) {
  return ownTokens(db, userId).where('id', '=', id).executeTakeFirst()
}

export async function lockToken(tx: Tx, kind: Database['kind'], { userId, id }: Owned) {
  return ownTokens(tx, userId)
    .where('id', '=', id)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function countTokens(tx: Tx, userId: number) {
  const { count } = await tx
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('key_hash', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Balances start at 0. The ledger books the initial balance and the budget. */
export type NewToken = Omit<
  Insertable<TokensTable>,
  | 'id'
  | 'remain_quota'
  | 'quota_leased'
  | 'used_quota'
  | 'accessed_time'
  | 'budget_quota'
  | 'budget_period'
>

export async function insertToken(tx: Tx, token: NewToken): Promise<number> {
  const { id } = await tx
    .insertInto('tokens')
    .values(token)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export type TokenChange = Pick<
  Updateable<TokensTable>,
  'status' | 'name' | 'expired_time' | 'unlimited_quota' | 'models' | 'subnet'
>

export async function updateToken(tx: Tx, { userId, id }: Owned, change: TokenChange) {
  await tx
    .updateTable('tokens')
    .set(change)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('key_hash', 'is not', null)
    .execute()
}

/** Removes the token's key; false if there is no such token. Running requests are not affected. */
export async function deleteToken(tx: Tx, { userId, id }: Owned): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('tokens')
    .set({ key_hash: null, key_sealed: null })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('key_hash', 'is not', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
