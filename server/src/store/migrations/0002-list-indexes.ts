import { type Kysely, sql } from 'kysely'

type Kind = 'sqlite' | 'postgres'

/** Columns that lists are sorted by, but for those that every request changes. */
const SORTED = {
  users: ['role', 'status', 'group', 'invite_balance'],
  redemptions: ['name', 'status', 'quota', 'created_time', 'redeemed_time'],
} as const

/** Names that may have changed since: what was charged under them is summed from the log. */
const SUMMED_BY = ['username', 'token_name'] as const

/** Columns that are searched by their beginnings. */
const SEARCHED = {
  users: ['username', 'email', 'display_name'],
  redemptions: ['name'],
} as const

/** What lists and searches need to answer at once, however long they have become. */
export async function listIndexes(db: Kysely<unknown>, kind: Kind) {
  for (const [table, columns] of Object.entries(SORTED)) {
    for (const column of columns) await sortIndex(db, table, column)
  }
  for (const column of SUMMED_BY) await sumIndex(db, column)
  await unsettledIndexes(db, kind)
  if (kind === 'postgres') await postgresIndexes(db)
}

/** Rows that are equal are ordered by id. */
const sortIndex = (db: Kysely<unknown>, table: string, column: string) =>
  db.schema.createIndex(`${table}_by_${column}`).on(table).columns([column, 'id']).execute()

/** With all that a sum reads, so that the rows themselves are left alone. */
async function sumIndex(db: Kysely<unknown>, column: (typeof SUMMED_BY)[number]) {
  await db.schema.dropIndex(`logs_${column}`).execute()
  await db.schema
    .createIndex(`logs_${column}`)
    .on('logs')
    .columns([column, 'id', 'created_at', 'type', 'quota'])
    .execute()
}

/** Without the requests that were charged, which do not pay for these indexes then. */
async function unsettledIndexes(db: Kysely<unknown>, kind: Kind) {
  const content = kind === 'postgres' ? sql`content text_pattern_ops` : sql`content`
  const columns = { user: sql`user_id, id`, username: sql`username, id`, content }
  for (const [name, list] of Object.entries(columns)) {
    const index = sql.ref(`logs_unsettled_${name}`)
    await sql`create index ${index} on logs (${list}) where outcome <> 'settled'`.execute(db)
  }
}

async function postgresIndexes(db: Kysely<unknown>) {
  for (const [table, columns] of Object.entries(SEARCHED)) {
    for (const column of columns) {
      const name = sql.ref(`${table}_beginning_${column}`)
      await sql`create index ${name} on ${sql.table(table)} (${sql.ref(column)} text_pattern_ops)`.execute(
        db,
      )
    }
  }
  // With the id in it the ids of a span of time are read from the index alone, as SQLite does.
  await db.schema.dropIndex('logs_created_at').execute()
  await db.schema.createIndex('logs_created_at').on('logs').columns(['created_at', 'id']).execute()
}
