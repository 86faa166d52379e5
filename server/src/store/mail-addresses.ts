import type { Kysely } from 'kysely'
import { ROLE, USER_STATUS } from '@tollgate/contract'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const ROOTS_MAX = 10

const reachable = (db: Db) =>
  db
    .selectFrom('users')
    .select('email')
    .where('status', '=', USER_STATUS.enabled)
    .where('email', '<>', '')

/** The address of an enabled user, if any. */
export async function findMailAddress(db: Db, userId: number): Promise<string | undefined> {
  const row = await reachable(db).where('id', '=', userId).executeTakeFirst()
  return row?.email
}

export async function listRootAddresses(db: Db): Promise<string[]> {
  const rows = await reachable(db)
    .where('role', '>=', ROLE.root)
    .orderBy('id')
    .limit(ROOTS_MAX)
    .execute()
  return rows.map(({ email }) => email)
}
