import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { HISTOGRAM_BUCKETS } from '../hour-tables.ts'

type Kind = 'sqlite' | 'postgres'

const SAFE_INTEGER = sql.raw(String(Number.MAX_SAFE_INTEGER))

/** Tables of the first version. A released migration is never edited. */
export function initial(kind: Kind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      for (const create of [accounts, channels, operation, ledger, statistics]) {
        await create(db, kind)
      }
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

function columns<Table extends string, Column extends string>(
  builder: CreateTableBuilder<Table, Column>,
  type: 'text' | 'bigint' | 'double precision',
  names: readonly string[],
) {
  return names.reduce(
    (table, name) =>
      table.addColumn(name, type, (column) => column.notNull().defaultTo(type === 'text' ? '' : 0)),
    builder as CreateTableBuilder<Table, string>, // safe because the builder is only added to
  )
}

/** Every amount is an integer that JavaScript can represent exactly. */
function amounts<Table extends string, Column extends string>(
  builder: CreateTableBuilder<Table, Column>,
  names: readonly string[],
) {
  return names.reduce(
    (table, name) =>
      table.addCheckConstraint(
        `${name}_bounded`,
        sql`${sql.ref(name)} >= 0 and ${sql.ref(name)} <= ${SAFE_INTEGER}`,
      ),
    columns(builder, 'bigint', names),
  )
}

async function accounts(db: Kysely<unknown>, kind: Kind) {
  let users = withId(db.schema.createTable('users'), kind)
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('access_token_hash', 'text', (column) => column.unique())
  users = columns(users, 'text', [
    'password_hash',
    'display_name',
    'email',
    'github_id',
    'wechat_id',
    'group',
  ])
  users = columns(users, 'bigint', ['role', 'status', 'inviter_id', 'created_time'])
  users = amounts(users, ['quota', 'quota_leased', 'used_quota', 'request_count'])
  await users
    .addColumn('aff_code', 'text', (column) => column.notNull().unique())
    .addCheckConstraint('leased_within_quota', sql`quota_leased <= quota`)
    .execute()
  for (const column of ['email', 'github_id', 'wechat_id', 'inviter_id', 'display_name']) {
    await db.schema.createIndex(`users_${column}`).on('users').column(column).execute()
  }

  let tokens = withId(db.schema.createTable('tokens'), kind)
    .addColumn('key_hash', 'text', (column) => column.unique())
    .addColumn('key_sealed', 'text')
  tokens = columns(tokens, 'text', ['name', 'models', 'subnet'])
  tokens = columns(tokens, 'bigint', [
    'user_id',
    'status',
    'created_time',
    'accessed_time',
    'expired_time',
    'unlimited_quota',
  ])
  await amounts(tokens, ['remain_quota', 'quota_leased', 'used_quota'])
    .addCheckConstraint(
      'leased_within_remaining',
      sql`quota_leased = 0 or quota_leased <= remain_quota`,
    )
    .execute()
  await db.schema.createIndex('tokens_user').on('tokens').columns(['user_id', 'id']).execute()

  await columns(
    db.schema.createTable('sessions').addColumn('id_hash', 'text', (column) => column.primaryKey()),
    'bigint',
    ['user_id', 'created_time', 'expires_at'],
  ).execute()
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute()
}

async function channels(db: Kysely<unknown>, kind: Kind) {
  let table = columns(withId(db.schema.createTable('channels'), kind), 'text', [
    'key_sealed',
    'status_reason',
    'name',
    'base_url',
    'other',
    'models',
    'group',
    'model_mapping',
    'config',
  ])
  table = columns(table, 'bigint', [
    'type',
    'status',
    'weight',
    'created_time',
    'test_time',
    'response_time',
    'balance_updated_time',
    'priority',
  ])
  await amounts(columns(table, 'double precision', ['balance']), ['used_quota']).execute()

  await db.schema
    .createTable('abilities')
    .addColumn('group', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('abilities_pk', ['group', 'model', 'channel_id'])
    .execute()
  await db.schema.createIndex('abilities_channel').on('abilities').column('channel_id').execute()
}

async function operation(db: Kysely<unknown>, kind: Kind) {
  await db.schema
    .createTable('options')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('meta')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
  await amounts(
    columns(
      columns(
        withId(db.schema.createTable('redemptions'), kind).addColumn('key', 'text', (column) =>
          column.notNull().unique(),
        ),
        'text',
        ['name'],
      ),
      'bigint',
      ['user_id', 'status', 'created_time', 'redeemed_time', 'redeemed_by'],
    ),
    ['quota'],
  ).execute()
}

async function ledger(db: Kysely<unknown>, kind: Kind) {
  await db.schema
    .createTable('ledger_nodes')
    .addColumn('run', 'text', (column) => column.primaryKey())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('closed_at', 'bigint')
    .execute()

  let holds = db.schema
    .createTable('holds')
    .addColumn('request_id', 'text', (column) => column.primaryKey())
    .addColumn('run', 'text', (column) => column.notNull())
  holds = columns(holds, 'bigint', ['user_id', 'token_id', 'token_limited', 'opened_at'])
  await amounts(columns(holds, 'text', ['context']), ['user_amount', 'token_amount']).execute()
  await db.schema.createIndex('holds_run').on('holds').column('run').execute()
  await db.schema.createIndex('holds_token').on('holds').column('token_id').execute()

  await columns(
    withId(db.schema.createTable('credits'), kind)
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull().unique()),
    'bigint',
    ['owner_id', 'amount', 'actor_id', 'created_at'],
  ).execute()
  await db.schema.createIndex('credits_owner').on('credits').columns(['kind', 'owner_id']).execute()

  await amounts(
    db.schema
      .createTable('ledger_days')
      .addColumn('user_id', 'bigint', (column) => column.notNull())
      .addColumn('token_id', 'bigint', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('ledger_days_pk', ['user_id', 'token_id', 'day']),
    ['charged', 'token_charged', 'uncollected', 'requests'],
  ).execute()
  await db.schema.createIndex('ledger_days_token').on('ledger_days').column('token_id').execute()
}

async function statistics(db: Kysely<unknown>, kind: Kind) {
  let logs = withId(db.schema.createTable('logs'), kind).addColumn('request_id', 'text', (column) =>
    column.unique(),
  )
  logs = columns(logs, 'text', [
    'content',
    'username',
    'token_name',
    'model_name',
    'upstream_model',
    'outcome',
    'end_reason',
    'attempts',
    'basis',
  ])
  logs = columns(logs, 'bigint', [
    'user_id',
    'created_at',
    'type',
    'token_id',
    'prompt_tokens',
    'completion_tokens',
    'channel',
    'elapsed_time',
    'first_token_time',
    'is_stream',
  ])
  await columns(logs, 'bigint', ['quota', 'uncollected']).execute()
  // Pages are read backwards by id, so every filter's index ends in the id.
  for (const column of ['user_id', 'type', 'username', 'token_name', 'model_name', 'channel']) {
    await db.schema.createIndex(`logs_${column}`).on('logs').columns([column, 'id']).execute()
  }
  await db.schema.createIndex('logs_created_at').on('logs').column('created_at').execute()

  await amounts(
    db.schema
      .createTable('rollups')
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('user_id', 'bigint', (column) => column.notNull())
      .addColumn('token_id', 'bigint', (column) => column.notNull())
      .addColumn('channel_id', 'bigint', (column) => column.notNull())
      .addColumn('model_name', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('rollups_pk', [
        'hour',
        'user_id',
        'token_id',
        'channel_id',
        'model_name',
      ]),
    [
      'requests',
      'failures',
      'prompt_tokens',
      'cached_tokens',
      'cache_write_tokens',
      'completion_tokens',
      'reasoning_tokens',
      'quota',
      ...HISTOGRAM_BUCKETS.map((bucket) => `latency_${bucket}`),
      ...HISTOGRAM_BUCKETS.map((bucket) => `first_token_${bucket}`),
    ],
  ).execute()
  await db.schema.createIndex('rollups_user').on('rollups').columns(['user_id', 'hour']).execute()
}
