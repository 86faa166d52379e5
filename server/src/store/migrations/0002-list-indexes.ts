import { type Kysely, sql } from 'kysely'

type Kind = 'sqlite' | 'postgres'

/** Columns that lists are sorted by, except those that every request changes. */
const SORTED = {
  users: ['role', 'status', 'group', 'invite_balance'],
  redemptions: ['name', 'status', 'quota', 'created_time', 'redeemed_time'],
} as const

/** Names that may have changed since the charge, so that their charges are summed from the log. */
const SUMMED_BY = ['username', 'token_name'] as const

/** Filter columns, each with the columns that counts also read: a row's time and type. */
const COUNTED = {
  user_id: ['created_at', 'type'],
  type: ['created_at'],
  model_name: ['created_at', 'type'],
  channel: ['created_at', 'type'],
} as const

/** Columns that are searched by prefix. */
const SEARCHED = {
  users: ['username', 'email', 'display_name'],
  redemptions: ['name'],
} as const

/** Indexes that keep lists and searches fast at any length. */
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

/** Equal rows are ordered by id. */
const sortIndex = (db: Kysely<unknown>, table: string, column: string) =>
  db.schema.createIndex(`${table}_by_${column}`).on(table).columns([column, 'id']).execute()

/** Includes every column that a sum or a count reads, so that the rows themselves are not read. */
async function logIndex(db: Kysely<unknown>, column: string, beside: readonly string[]) {
  await db.schema.dropIndex(`logs_${column}`).execute()
  await db.schema
    .createIndex(`logs_${column}`)
    .on('logs')
    .columns([column, 'id', ...beside])
    .execute()
}

/** Includes `status`, because closed accounts do not count as invited users. */
async function invitedIndex(db: Kysely<unknown>) {
  await db.schema.dropIndex('users_inviter_id').execute()
  await db.schema
    .createIndex('users_inviter_id')
    .on('users')
    .columns(['inviter_id', 'id', 'status'])
    .execute()
}

/** Partial indexes without charged requests, so that charges do not have to maintain them. */
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
  // With the id in the index, PostgreSQL finds the ids of a time span from the index alone, as
  // SQLite does.
  await db.schema.dropIndex('logs_created_at').execute()
  await db.schema.createIndex('logs_created_at').on('logs').columns(['created_at', 'id']).execute()
}
