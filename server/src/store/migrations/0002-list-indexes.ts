import { type Kysely, sql } from 'kysely'

type Kind = 'sqlite' | 'postgres'

/** Columns that lists are sorted by, but for those that every request changes. */
const SORTED = {
  users: ['role', 'status', 'group', 'invite_balance'],
  redemptions: ['name', 'status', 'quota', 'created_time', 'redeemed_time'],
} as const

/** Names that may have changed since: what was charged under them is summed from the log. */
const SUMMED_BY = ['username', 'token_name'] as const

/** What a list is narrowed by, and what it is counted by beside that: the time and the type of a row. */
const COUNTED = {
  user_id: ['created_at', 'type'],
  type: ['created_at'],
  model_name: ['created_at', 'type'],
  channel: ['created_at', 'type'],
} as const

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
  for (const column of SUMMED_BY) await logIndex(db, column, ['created_at', 'type', 'quota'])
  for (const [column, beside] of Object.entries(COUNTED)) await logIndex(db, column, beside)
  await invitedIndex(db)
  await unsettledIndexes(db, kind)
  if (kind === 'postgres') await postgresIndexes(db)
}

/** Rows that are equal are ordered by id. */
const sortIndex = (db: Kysely<unknown>, table: string, column: string) =>
  db.schema.createIndex(`${table}_by_${column}`).on(table).columns([column, 'id']).execute()

/** With all that a sum or a count reads, so that the rows themselves are left alone. */
async function logIndex(db: Kysely<unknown>, column: string, beside: readonly string[]) {
  await db.schema.dropIndex(`logs_${column}`).execute()
  await db.schema
    .createIndex(`logs_${column}`)
    .on('logs')
    .columns([column, 'id', ...beside])
    .execute()
}

/** Closed accounts are not counted among those somebody invited. */
async function invitedIndex(db: Kysely<unknown>) {
  await db.schema.dropIndex('users_inviter_id').execute()
  await db.schema
    .createIndex('users_inviter_id')
    .on('users')
    .columns(['inviter_id', 'id', 'status'])
    .execute()
}

/** Without the requests that were charged, which do not pay for these indexes then. */
async function unsettledIndexes(db: Kysely<unknown>, kind: Kind) {
  const content = kind === 'postgres' ? sql`content text_pattern_ops` : sql`content`
  const columns = {
    user: sql`user_id, id, type`,
    username: sql`username, id`,
    content,
    own_content: sql`user_id, ${content}`,
  }
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
