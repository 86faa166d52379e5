import {
  type AliasableExpression,
  type Insertable,
  type Kysely,
  sql,
  type Updateable,
} from 'kysely'
import {
  GIFT_CODE_LENGTH,
  type KeywordQuery,
  type Seconds,
  SEARCH_ROWS_MAX,
  USER_STATUS,
  type UserFilter,
} from '@tollgate/contract'
import { mailboxOf } from '../domain/mailbox.ts'
import type { Database, Tx } from './database.ts'
import { foldedName } from './folded-name.ts'
import { beginsWith, containsText, idIn } from './like-prefix.ts'
import { type Page, pageOf, readPage, type Rows, totalOf } from './page.ts'
import { inOrder } from './recent-order.ts'
import type { Schema, UsersTable } from './schema.ts'
import { hasFactor } from './second-factors.ts'
import { isFiltering, matching } from './user-filter.ts'
import { recentIdsOfUsers } from './user-order.ts'

type Db = Kysely<Schema>

/** Columns that may leave the server; hashes are not among them. */
const SHOWN = [
  'id',
  'username',
  'display_name',
  'role',
  'status',
  'email',
  'github_id',
  'wechat_id',
  'lark_id',
  'oidc_id',
  'quota',
  'quota_leased',
  'used_quota',
  'request_count',
  'group',
  'aff_code',
  'inviter_id',
  'invite_balance',
  'created_time',
] as const

const shown = (db: Db) =>
  db
    .selectFrom('users')
    .select(SHOWN)
    .select((eb) => hasFactor(eb).as('second_factor'))
    .where('status', '<>', USER_STATUS.deleted)

type ShownRow = Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number]

const toShownUser = ({ second_factor, ...user }: ShownRow) => ({
  ...user,
  second_factor: second_factor === 1,
})

export type ShownUser = ReturnType<typeof toShownUser>

/** `now` in epoch seconds. */
export async function listUsers(
  db: Db,
  { filter, now, ...page }: Page & { filter: UserFilter; now: Seconds },
): Promise<Rows<ShownUser>> {
  if (filter.keyword !== '') {
    const ids = await findUserIds(db, matching(live(db), { filter, now }), filter.keyword)
    return { rows: await pageOfFound(db, ids, page), total: ids.length }
  }
  if (isFiltering(filter)) {
    const { rows, total } = await readPage(db, matching(shown(db), { filter, now }), page)
    return { rows: rows.map(toShownUser), total }
  }
  const ids = await recentIdsOfUsers(db, page)
  if (ids === null) {
    const { rows, total } = await readPage(db, shown(db), page)
    return { rows: rows.map(toShownUser), total }
  }
  const found = ids.length === 0 ? [] : await shown(db).where('id', 'in', ids).execute()
  const rows = inOrder(ids, found.map(toShownUser))
  return { rows, total: await totalOf(db, shown(db), { page, found: page.size }) }
}

/** Matches an exact id, or a part of username, email address or display name in any case. */
export async function searchUsers(db: Db, { keyword, size }: KeywordQuery): Promise<ShownUser[]> {
  const page = { p: 0, size, order: 'desc' } as const
  if (keyword !== '') return pageOfFound(db, await findUserIds(db, live(db), keyword), page)
  const rows = await pageOf(shown(db), page).execute()
  return rows.map(toShownUser)
}

/** A page of the users with these ids, of which the highest come first. */
async function pageOfFound(db: Db, ids: readonly number[], page: Page): Promise<ShownUser[]> {
  const { p, size, sort = 'id', order, before } = page
  const isNewestFirst = sort === 'id' && order === 'desc' && before === undefined
  // A short list of ids is several times cheaper to send and to look up than all that were found.
  const wanted = isNewestFirst ? ids.slice(p * size, (p + 1) * size) : ids
  if (wanted.length === 0) return []
  const ordered = pageOf(
    shown(db).where('id', 'in', wanted),
    isNewestFirst ? { ...page, p: 0 } : page,
  )
  const rows = await ordered.execute()
  return rows.map(toShownUser)
}

const live = (db: Db) =>
  db.selectFrom('users').select('users.id').where('status', '<>', USER_STATUS.deleted)

const NAMES = ['username', 'email', 'display_name'] as const

/**
 * Ids of the candidates that a keyword finds, the highest first. Beginnings are found first, each
 * by its own index. A search for parts reads every candidate, so it follows only fewer than
 * SEARCH_ROWS_MAX of them.
 */
async function findUserIds(
  db: Db,
  candidates: ReturnType<typeof live>,
  keyword: string,
): Promise<number[]> {
  const beginnings = (column: (typeof NAMES)[number]) =>
    db
      .selectFrom(
        candidates
          // The index of addresses has no empty ones.
          .where(column, '<>', '')
          .where(beginsWith(column, keyword))
          .orderBy(column)
          .limit(SEARCH_ROWS_MAX)
          .as(column),
      )
      .selectAll()
  // One statement, because each costs a message to the thread of the database. Users that have
  // several names are removed here, which is cheaper than in the database.
  const found = await idsOf(
    db,
    beginnings('username')
      .unionAll(beginnings('email'))
      .unionAll(beginnings('display_name'))
      .unionAll(candidates.where('id', '=', idIn(keyword))),
  )
  const ids = new Set(found)
  if (ids.size < SEARCH_ROWS_MAX) {
    const parts = candidates
      .where(containsText(NAMES, keyword))
      .orderBy('id', 'desc')
      .limit(SEARCH_ROWS_MAX)
    for (const id of await idsOf(db, parts)) ids.add(id)
  }
  return [...ids].toSorted((a, b) => b - a)
}

/** The ids come as one text, which crosses threads in a tenth of the time of as many rows. */
async function idsOf(db: Db, query: AliasableExpression<{ id: number }>) {
  const { ids } = await db
    .selectFrom(query.as('found'))
    .select(sql<string | null>`string_agg(cast(found.id as text), ',')`.as('ids'))
    .executeTakeFirstOrThrow()
  return ids === null ? [] : ids.split(',').map(Number)
}

export async function findUserNames(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, username }) => [id, username]))
}

export async function findUser(db: Db, id: number): Promise<ShownUser | undefined> {
  const row = await shown(db).where('id', '=', id).executeTakeFirst()
  return row && toShownUser(row)
}

export async function lockUser(
  tx: Tx,
  kind: Database['kind'],
  by: { id: number } | { username: string } | { email: string },
): Promise<ShownUser | undefined> {
  const row = await shown(tx)
    .where((eb) => eb.and(by))
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  return row && toShownUser(row)
}

const CREDENTIAL_COLUMNS = [
  'id',
  'username',
  'display_name',
  'role',
  'status',
  'email',
  'password_hash',
] as const

/**
 * Finds by address if `name` looks like an address, so that a username cannot shadow another user's
 * address; otherwise by username.
 */
export async function findCredentialsByName(db: Db, name: string) {
  const signingIn = db.selectFrom('users').select(CREDENTIAL_COLUMNS)
  const byEmail = name.includes('@')
    ? await signingIn
        .where('email', '=', name.toLowerCase())
        .where('status', '<>', USER_STATUS.deleted)
        .executeTakeFirst()
    : undefined
  // Runs in either case, so that the response time does not reveal whether an address exists.
  const byName = await signingIn.where('username', '=', name).executeTakeFirst()
  return byEmail ?? byName
}

export const findCredentials = (db: Db, id: number) =>
  db.selectFrom('users').select(CREDENTIAL_COLUMNS).where('id', '=', id).executeTakeFirst()

/** Locks the user, including the password, until the transaction ends. */
export const lockCredentials = (tx: Tx, kind: Database['kind'], id: number) =>
  tx
    .selectFrom('users')
    .select(CREDENTIAL_COLUMNS)
    .where('id', '=', id)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()

export async function findUserByAccessToken(db: Db, hash: string) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status'])
    .where('access_token_hash', '=', hash)
    .executeTakeFirst()
}

export async function hasUsername(db: Db, id: number, username: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('username', '=', username)
    .executeTakeFirst()
  return row !== undefined
}

/** Ignores case and width. */
export async function isUsernameTaken(db: Db, username: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('username_folded', '=', foldedName(username))
    .executeTakeFirst()
  return row !== undefined
}

/** `email` must be lowercase, as all addresses are stored. */
export async function findUserByEmail(db: Db, email: string) {
  return db
    .selectFrom('users')
    .select(['id', 'role', 'status'])
    .where('email', '=', email)
    .executeTakeFirst()
}

/** Whether another account has an address that delivers to the same mailbox. */
export async function isMailboxTaken(
  db: Db,
  { email, exceptId = 0 }: { email: string; exceptId?: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('email_mailbox', '=', mailboxOf(email))
    .where('id', '<>', exceptId)
    .executeTakeFirst()
  return row !== undefined
}

/** Serializes transactions that claim the same mailbox. SQLite has only one writer. */
export async function lockMailbox(tx: Tx, kind: Database['kind'], email: string): Promise<void> {
  if (kind === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`mailbox ${mailboxOf(email)}`}, 0))`.execute(
    tx,
  )
}

/** The enabled user with this invite code. */
export async function findInviter(db: Db, inviteCode: string) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'created_time'])
    .where('aff_code', '=', inviteCode)
    .where('status', '=', USER_STATUS.enabled)
    .executeTakeFirst()
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

type Booked = 'id' | 'quota' | 'quota_leased' | 'used_quota' | 'request_count' | 'invite_balance'

/** Balances start at 0. The ledger books the initial balance. */
export type NewUser = Omit<
  Insertable<UsersTable>,
  Booked | 'gift_code' | 'username_folded' | 'email_mailbox'
>

export async function insertUser(tx: Tx, user: NewUser): Promise<number> {
  const { id } = await tx
    .insertInto('users')
    .values({
      ...user,
      username_folded: foldedName(user.username),
      email_mailbox: mailboxOf(user.email),
      gift_code: user.aff_code.slice(-GIFT_CODE_LENGTH),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export type UserChange = Omit<Updateable<UsersTable>, Booked | 'username_folded' | 'email_mailbox'>

export async function updateUser(tx: Tx, id: number, change: UserChange) {
  if (Object.keys(change).length === 0) return
  const { username, email } = change
  // An unchanged name keeps its normalized form, which is null if an older account has the same.
  const username_folded =
    username === undefined
      ? undefined
      : sql<string | null>`case when username = ${username} then username_folded
          else ${foldedName(username)} end`
  await tx
    .updateTable('users')
    .set({
      ...change,
      ...(username_folded && { username_folded }),
      ...(email !== undefined && { email_mailbox: mailboxOf(email) }),
    })
    .where('id', '=', id)
    .execute()
}
