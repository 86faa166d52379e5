import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Kind = 'sqlite' | 'postgres'

/** Second factors, tickets of logins in progress, and session details for users. */
export const secondFactors = (kind: Kind): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await sessions(db, kind)
    await factors(db, kind)
    await tickets(db)
  },
})

function withId<Table extends string>(builder: CreateTableBuilder<Table, never>, kind: Kind) {
  return kind === 'sqlite'
    ? builder.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : builder.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      )
}

/** Rebuilds the table, because SQLite cannot add an autoincrement key to an existing table. */
async function sessions(db: Kysely<unknown>, kind: Kind) {
  await db.schema.alterTable('sessions').renameTo('former_sessions').execute()
  await withId(db.schema.createTable('sessions'), kind)
    .addColumn('id_hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('last_seen_time', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('address', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('user_agent', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('confirmed_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`insert into sessions (id_hash, user_id, created_time, expires_at, last_seen_time)
    select id_hash, user_id, created_time, expires_at, created_time from former_sessions
    order by created_time, id_hash`.execute(db)
  await db.schema.dropTable('former_sessions').execute()
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute()
}

async function factors(db: Kysely<unknown>, kind: Kind) {
  await db.schema
    .createTable('second_factors')
    .addColumn('user_id', 'bigint', (column) => column.primaryKey())
    .addColumn('user_handle', 'text', (column) => column.notNull().unique())
    .addColumn('totp_sealed', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('totp_step', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('pending_totp_sealed', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('pending_totp_until', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('code_hash', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_pk', ['user_id', 'code_hash'])
    .execute()
  await withId(db.schema.createTable('passkeys'), kind)
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('credential_id', 'text', (column) => column.notNull().unique())
    .addColumn('rp_id', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('last_used_time', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute()
}

async function tickets(db: Kysely<unknown>) {
  await db.schema
    .createTable('auth_tickets')
    .addColumn('ticket_hash', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('sign_in_hash', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('tries', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('auth_tickets_user').on('auth_tickets').column('user_id').execute()
  await db.schema
    .createIndex('auth_tickets_expiry')
    .on('auth_tickets')
    .column('expires_at')
    .execute()
}
