import { type Selectable, sql, type Updateable } from 'kysely'
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

/** Changes a row like the control plane, which tells all that cache it. */
export const changeRow = <T extends Table>(
  { database }: { database: Pick<Database, 'change'> },
  table: T,
  id: number | undefined,
  set: Updateable<Schema[T]>,
) =>
  database.change((tx) => {
    const columns: Record<string, unknown> = set
    return tx
      .updateTable<Table>(table)
      .set(columns)
      .where('id', '=', id ?? 0)
      .execute()
  })

export const readUser = ({ database }: World, id: number) =>
  database.kysely.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const readChannel = ({ database }: World, id: number) =>
  database.kysely.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const readToken = ({ database }: World, id: number) =>
  database.kysely.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** The rows of a table whose columns have these values, in the order of the first column. */
export async function storedRows<T extends keyof Schema>(
  { database }: World,
  table: T,
  values: Partial<Selectable<Schema[T]>> = {},
) {
  const conditions = Object.entries(values).map(
    ([column, value]) => sql`${sql.ref(column)} = ${value}`,
  )
  const query = sql<Selectable<Schema[T]>>`select * from ${sql.table(table)}
    where ${sql.join([sql`1 = 1`, ...conditions], sql` and `)} order by 1`
  return (await query.execute(database.kysely)).rows
}

/** The log rows of a user. */
export const notesOf = (world: World, user_id: number) => storedRows(world, 'logs', { user_id })

/** What was credited to the balance of a user or a token. */
export const creditsOf = (world: World, owner_id: number, kind: 'user' | 'token' = 'user') =>
  storedRows(world, 'credits', { kind, owner_id })
