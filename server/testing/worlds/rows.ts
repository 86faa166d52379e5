import type { Updateable } from 'kysely'
import type { Database } from '../../src/store/database.ts'
import type { Schema } from '../../src/store/schema.ts'

type Table = 'users' | 'tokens' | 'channels' | 'redemptions' | 'logs'

type World = { database: Pick<Database, 'kysely'> }

/** Changes a row behind the back of everything that caches it. */
export async function setRow<T extends Table>(
  { database }: World,
  table: T,
  id: number,
  set: Updateable<Schema[T]>,
): Promise<void> {
  const columns: Record<string, unknown> = set
  await database.kysely.updateTable<Table>(table).set(columns).where('id', '=', id).execute()
}

export const readUser = ({ database }: World, id: number) =>
  database.kysely.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const readChannel = ({ database }: World, id: number) =>
  database.kysely.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const readToken = ({ database }: World, id: number) =>
  database.kysely.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
