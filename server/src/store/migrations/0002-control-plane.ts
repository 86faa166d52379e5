import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { foldedName } from '../folded-name.ts'
import { listIndexes } from './0002-list-indexes.ts'

type Kind = 'sqlite' | 'postgres'

/**
 * Must be unique per user: an address or external account linked twice could log in as either
 * user.
 */
const IDENTITIES = ['email', 'github_id', 'wechat_id', 'lark_id', 'oidc_id'] as const

/** External login, mail, redemptions, the partner plan and the option history. */
export function controlPlane(kind: Kind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await identities(db)
      await foldedNames(db)
      await inviteCodes(db, kind)
      await partnerPlan(db, kind)
      await shortLived(db)
      await outbox(db, kind)
      await optionChanges(db, kind)
      await listIndexes(db, kind)
      await db.schema.createIndex('credits_created').on('credits').column('created_at').execute()
    },
  }
}

function withId<Table extends string>(builder: CreateTableBuilder<Table, never>, kind: Kind) {
  return kind === 'sqlite'
    ? builder.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : builder.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      )
}

async function identities(db: Kysely<unknown>) {
  for (const column of ['lark_id', 'oidc_id'] as const) {
    await db.schema
      .alterTable('users')
      .addColumn(column, 'text', (definition) => definition.notNull().defaultTo(''))
      .execute()
  }
  await sql`update users set email = lower(email)`.execute(db)
  for (const column of IDENTITIES) {
    const ref = sql.ref(column)
    // The oldest account keeps an identity that several accounts had.
    await sql`update users set ${ref} = '' where ${ref} <> '' and exists (
      select 1 from users as older where older.id < users.id and older.${ref} = users.${ref}
    )`.execute(db)
    await db.schema.dropIndex(`users_${column}`).ifExists().execute()
    await sql`create unique index ${sql.ref(`users_${column}`)} on users (${ref})
      where ${ref} <> ''`.execute(db)
  }
}

/**
 * If names differ only by case or width, the oldest account keeps the key and the others get none.
 */
async function foldedNames(db: Kysely<unknown>) {
  await db.schema.alterTable('users').addColumn('username_folded', 'text').execute()
  const { rows } = await sql<{ id: number; username: string }>`
    select id, username from users order by id`.execute(db)
  const taken = new Set<string>()
  for (const { id, username } of rows) {
    const folded = foldedName(username)
    if (taken.has(folded)) continue
    taken.add(folded)
    await sql`update users set username_folded = ${folded} where id = ${id}`.execute(db)
  }
  await db.schema
    .createIndex('users_username_folded')
    .unique()
    .on('users')
    .column('username_folded')
    .execute()
}

/**
 * Last five characters of the invite code. If several codes end alike, the oldest account keeps the
 * gift code.
 */
async function inviteCodes(db: Kysely<unknown>, kind: Kind) {
  await db.schema.alterTable('users').addColumn('gift_code', 'text').execute()
  const ending = kind === 'sqlite' ? sql`substr(aff_code, -5)` : sql`right(aff_code, 5)`
  await sql`update users set gift_code = ${ending} where length(aff_code) >= 5`.execute(db)
  await sql`update users set gift_code = null where exists (
    select 1 from users as older where older.id < users.id and older.gift_code = users.gift_code
  )`.execute(db)
  await db.schema.createIndex('users_gift_code').unique().on('users').column('gift_code').execute()
}

/** Amounts are in fen, 1/100 yuan. */
async function partnerPlan(db: Kysely<unknown>, kind: Kind) {
  await db.schema
    .alterTable('users')
    .addColumn('invite_balance', 'bigint', (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`invite_balance >= 0`),
    )
    .execute()
  await withId(db.schema.createTable('partner_entries'), kind)
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull().unique())
    .addColumn('actor_id', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('partner_entries_user')
    .on('partner_entries')
    .column('user_id')
    .execute()
}

async function shortLived(db: Kysely<unknown>) {
  await db.schema
    .createTable('verification_codes')
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('code_hash', 'text', (column) => column.notNull())
    .addColumn('tries', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('verification_codes_pk', ['purpose', 'email'])
    .execute()
  await db.schema
    .createTable('oauth_states')
    .addColumn('state_hash', 'text', (column) => column.primaryKey())
    .addColumn('browser_hash', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('tries', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  for (const table of ['verification_codes', 'oauth_states']) {
    await db.schema.createIndex(`${table}_expiry`).on(table).column('expires_at').execute()
  }
}

async function outbox(db: Kysely<unknown>, kind: Kind) {
  await withId(db.schema.createTable('outbox'), kind)
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('tries', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('outbox_due').on('outbox').column('due_at').execute()
}

async function optionChanges(db: Kysely<unknown>, kind: Kind) {
  await withId(db.schema.createTable('option_changes'), kind)
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'bigint', (column) => column.notNull())
    .addColumn('actor_name', 'text', (column) => column.notNull())
    .addColumn('before', 'text', (column) => column.notNull())
    .addColumn('after', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}
