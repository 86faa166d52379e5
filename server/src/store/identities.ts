import type { Kysely } from 'kysely'
import type { IDENTITY_NAMES } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import type { Schema } from './schema.ts'

/** Columns that link a user to an account at an identity provider. Each identity is unique. */
export type IdentityColumn = keyof typeof IDENTITY_NAMES

/** Includes banned and deleted users, so that they cannot sign up again as new users. */
export async function hasIdentity(
  db: Kysely<Schema>,
  column: IdentityColumn,
  identity: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where(column, '=', identity)
    .executeTakeFirst()
  return row !== undefined
}

export async function lockUserByIdentity(
  tx: Tx,
  kind: Database['kind'],
  { column, identity }: { column: IdentityColumn; identity: string },
) {
  return tx
    .selectFrom('users')
    .select(['id', 'username', 'display_name', 'role', 'status'])
    .where(column, '=', identity)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}
