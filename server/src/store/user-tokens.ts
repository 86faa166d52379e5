import { type Kysely, sql } from 'kysely'
import { isRoot } from '@tollgate/contract'
import { containsText } from './like-prefix.ts'
import { type Page, readPage } from './page.ts'
import type { Schema } from './schema.ts'

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
  'unlimited_quota',
  'used_quota',
] as const

export type UserTokenFilter = {
  /** Sees the tokens of lower roles and their own; root sees all. */
  readonly manager: { readonly id: number; readonly role: number }
  readonly userId?: number | undefined
}

/** Tokens that are not deleted, of accounts that the manager may change. */
function manageable(db: Db, { manager, userId }: UserTokenFilter) {
  const tokens = db
    .selectFrom('tokens')
    .where('key_hash', 'is not', null)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? 0))
  if (isRoot(manager.role)) return tokens
  // Few accounts are administrators, so the exclusion is cheap in a list of all tokens.
  return tokens.where('user_id', 'not in', (eb) =>
    eb
      .selectFrom('users')
      .select('users.id')
      .where('role', '>=', manager.role)
      .where('users.id', '<>', manager.id),
  )
}

const shown = (db: Db, filter: UserTokenFilter) =>
  manageable(db, filter)
    .select(SHOWN)
    .select((eb) =>
      eb.fn
        .coalesce(
          eb.selectFrom('users').select('username').whereRef('users.id', '=', 'tokens.user_id'),
          sql.lit(''),
        )
        .as('username'),
    )

export type ShownUserToken = Awaited<ReturnType<typeof findUserTokens>>[number]

export const listUserTokens = (db: Db, filter: UserTokenFilter, page: Page) =>
  readPage(db, shown(db, filter), page)

/** Tokens whose name contains the keyword, the newest first. */
export const findUserTokensByName = (
  db: Db,
  filter: UserTokenFilter,
  { keyword, limit }: { keyword: string; limit: number },
) =>
  shown(db, filter)
    .where(containsText(['name'], keyword))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const findUserTokenByHash = (db: Db, filter: UserTokenFilter, hash: string) =>
  shown(db, filter).where('key_hash', '=', hash).execute()

/** The newest first. */
export const findUserTokens = (db: Db, filter: UserTokenFilter, ids: readonly number[]) =>
  shown(db, filter).where('id', 'in', ids).orderBy('id', 'desc').execute()

/** Sealed keys of tokens below an id, the newest first. */
export const listSealedKeys = (
  db: Db,
  filter: UserTokenFilter,
  { before, limit }: { before: number; limit: number },
) =>
  manageable(db, filter)
    .select(['id', 'key_sealed'])
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
