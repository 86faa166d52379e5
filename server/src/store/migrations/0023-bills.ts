import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Kind = 'sqlite' | 'postgres'

/** Bills of providers, their lines, and the hourly sums that they are compared with. */
export const bills = (kind: Kind): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await createSources(db, kind)
    await createImports(db, kind)
    await createLines(db)
    await createProviderHours(db, kind)
  },
})

const withId = (table: CreateTableBuilder<string, never>, kind: Kind) =>
  kind === 'sqlite'
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      )

async function createSources(db: Kysely<unknown>, kind: Kind) {
  await withId(db.schema.createTable('bill_sources'), kind)
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('key_sealed', 'text', (column) => column.notNull())
    .addColumn('account', 'text', (column) => column.notNull())
    .addColumn('channels', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('rate', 'text', (column) => column.notNull())
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('aliases', 'text', (column) => column.notNull())
    .addColumn('keys', 'text', (column) => column.notNull())
    .addColumn('every_hours', 'integer', (column) => column.notNull())
    .addColumn('alert_percent', 'double precision', (column) => column.notNull())
    .addColumn('mapping', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('asked_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('alerted', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

async function createImports(db: Kysely<unknown>, kind: Kind) {
  await withId(db.schema.createTable('bill_imports'), kind)
    .addColumn('source_id', 'bigint', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('added', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('repeated', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('beat_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('covers_from', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('covers_to', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('error', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('error_zh', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('problems', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('reading', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createIndex('bill_imports_source')
    .on('bill_imports')
    .columns(['source_id', 'id'])
    .execute()
}

const USE = [
  sql`hour bigint not null`,
  sql`hours bigint not null`,
  sql`model text not null`,
  sql`key text not null`,
  sql`item text not null`,
  ...['requests', 'input', 'cached', 'written', 'output', 'amount'].map(
    (name) => sql`${sql.ref(name)} bigint`,
  ),
]

/** Lines wait in `bill_staged` until their whole import is known to be good. */
async function createLines(db: Kysely<unknown>) {
  await sql`create table bill_staged (
    import_id bigint not null, "row" bigint not null, line_id text not null, ${sql.join(USE)},
    primary key (import_id, "row")
  )`.execute(db)
  await sql`create table bill_lines (
    source_id bigint not null, line_id text not null, import_id bigint not null, ${sql.join(USE)},
    primary key (source_id, line_id)
  )`.execute(db)
  await db.schema
    .createIndex('bill_lines_hour')
    .on('bill_lines')
    .columns(['source_id', 'hour', 'hours'])
    .execute()
}

const SUMS = ['attempts', 'unknown', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost']

async function createProviderHours(db: Kysely<unknown>, kind: Kind) {
  const key = ['channel_id', 'hour', 'model_name', 'key']
  const columns = [
    sql`channel_id bigint not null`,
    sql`hour bigint not null`,
    sql`model_name text not null`,
    sql`key text not null`,
    ...SUMS.map((name) => sql`${sql.ref(name)} bigint not null default 0`),
    sql`primary key (${sql.join(key.map((name) => sql.ref(name)))})`,
  ]
  // A channel's hours are read from start to end, so rows are stored in that order.
  const options = kind === 'sqlite' ? sql`without rowid` : sql``
  await sql`create table provider_hours (${sql.join(columns)}) ${options}`.execute(db)
}
