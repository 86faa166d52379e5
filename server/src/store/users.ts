import type { Insertable, Kysely, Updateable } from 'kysely'
import { SEARCH_ROWS_MAX, USER_STATUS } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import { type Page, readPage } from './page.ts'
import { beginsWith, idIn } from './prefix.ts'
import type { Schema, UsersTable } from './schema.ts'

type Db = Kysely<Schema>

/** What may be shown of a user; no hash is among it. */
const SHOWN = [
  'id',
  'username',
  'display_name',
  'role',
  'status',
  'email',
  'github_id',
  'wechat_id',
  'quota',
  'quota_leased',
  'used_quota',
  'request_count',
  'group',
  'aff_code',
  'inviter_id',
  'created_time',
] as const

const shown = (db: Db) =>
  db.selectFrom('users').select(SHOWN).where('status', '<>', USER_STATUS.deleted)

export const listUsers = (db: Db, page: Page) => readPage(db, shown(db), page)

/** By id, or by the beginning of username, e-mail address or display name. */
export async function searchUsers(db: Db, keyword: string) {
  return shown(db)
    .where((eb) =>
      eb.or([
        eb('id', '=', idIn(keyword)),
        beginsWith('username', keyword),
        beginsWith('email', keyword),
        beginsWith('display_name', keyword),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(SEARCH_ROWS_MAX)
    .execute()
}

export type ShownUser = Awaited<ReturnType<typeof searchUsers>>[number]

export async function findUser(db: Db, id: number) {
  return shown(db).where('id', '=', id).executeTakeFirst()
}

/** Nobody else changes the user until the transaction ends. */
export async function lockUser(
  tx: Tx,
  kind: Database['kind'],
  by: { id: number } | { username: string },
) {
  return shown(tx)
    .where((eb) => ('id' in by ? eb('id', '=', by.id) : eb('username', '=', by.username)))
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}

const SIGNING_IN = ['id', 'username', 'display_name', 'role', 'status', 'password_hash'] as const

/** By username, and if there is none by an e-mail address that only one user has. */
export async function findUserSigningIn(db: Db, name: string) {
  const byUsername = await db
    .selectFrom('users')
    .select(SIGNING_IN)
    .where('username', '=', name)
    .executeTakeFirst()
  if (byUsername) return byUsername
  const byEmail = await db
    .selectFrom('users')
    .select(SIGNING_IN)
    .where('email', '=', name)
    .where('status', '<>', USER_STATUS.deleted)
    .limit(2)
    .execute()
  return byEmail.length === 1 ? byEmail[0] : undefined
}

/** The hash of a user's password; nobody changes it until the transaction ends. */
export async function lockPassword(tx: Tx, kind: Database['kind'], id: number) {
  const user = await tx
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', id)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  return user?.password_hash
}

export async function findUserByAccessToken(db: Db, hash: string) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status'])
    .where('access_token_hash', '=', hash)
    .executeTakeFirst()
}

export async function isUsernameTaken(db: Db, username: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirst()
  return row !== undefined
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Balances start at 0; the ledger books the first one. */
export type NewUser = Omit<
  Insertable<UsersTable>,
  'id' | 'quota' | 'quota_leased' | 'used_quota' | 'request_count'
>

export async function insertUser(tx: Tx, user: NewUser): Promise<number> {
  const { id } = await tx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow()
  return id
}

export type UserChange = Omit<
  Updateable<UsersTable>,
  'id' | 'quota' | 'quota_leased' | 'used_quota' | 'request_count'
>

export async function updateUser(tx: Tx, id: number, change: UserChange) {
  if (Object.keys(change).length === 0) return
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
}
