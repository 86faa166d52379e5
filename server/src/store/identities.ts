import type { Kysely } from 'kysely'
import type { IDENTITY_NAMES } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import type { Schema } from './schema.ts'

/** Where the identities of other servers are kept; each is one user's. */
export type IdentityColumn = keyof typeof IDENTITY_NAMES

/** Also of users who are banned or deleted, so that none of them comes back as a new one. */
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

/** Nobody else changes the user until the transaction ends. */
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
