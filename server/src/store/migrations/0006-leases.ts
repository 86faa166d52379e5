import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Kind = 'sqlite' | 'postgres'

const SAFE_INTEGER = sql.raw(String(Number.MAX_SAFE_INTEGER))

const bounded = (column: string) =>
  sql<boolean>`${sql.ref(column)} >= 0 and ${sql.ref(column)} <= ${SAFE_INTEGER}`

/** Quota is leased to epochs, which hold it for requests in memory. Tokens may have budgets. */
export function leases(kind: Kind): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      await giveBackHolds(db)
      await runs(db)
      await quotaLeases(db)
      await budgets(db)
      await faults(db, kind)
      await endings(db)
    },
  }
}

/**
 * The processes that owned these holds have ended, because this version's tables replace theirs.
 */
async function giveBackHolds(db: Kysely<unknown>) {
  // oxlint-disable-next-line tollgate/quota-only-in-ledger -- no running ledger knows these holds
  await sql`update users set quota_leased = 0 where quota_leased <> 0`.execute(db)
  // oxlint-disable-next-line tollgate/quota-only-in-ledger -- no running ledger knows these holds
  await sql`update tokens set quota_leased = 0 where quota_leased <> 0`.execute(db)
  await db.schema.dropTable('holds').execute()
}

async function runs(db: Kysely<unknown>) {
  for (const column of ['beat', 'position']) {
    await db.schema
      .alterTable('ledger_nodes')
      .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
      .execute()
  }
  await db.schema.alterTable('ledger_nodes').addColumn('finished_at', 'bigint').execute()
  await sql`update ledger_nodes set
    closed_at = coalesce(closed_at, started_at), finished_at = coalesce(closed_at, started_at)
  `.execute(db)
}

async function quotaLeases(db: Kysely<unknown>) {
  await db.schema
    .createTable('quota_leases')
    .addColumn('run', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'bigint', (column) => column.notNull())
    .addColumn('period', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull().check(bounded('amount')))
    .addPrimaryKeyConstraint('quota_leases_pk', ['run', 'kind', 'owner_id', 'period'])
    .execute()
  await db.schema
    .createIndex('quota_leases_account')
    .on('quota_leases')
    .columns(['kind', 'owner_id', 'period'])
    .execute()
}

async function budgets(db: Kysely<unknown>) {
  await db.schema
    .alterTable('tokens')
    .addColumn('budget_quota', 'bigint', (column) =>
      column.notNull().defaultTo(0).check(bounded('budget_quota')),
    )
    .execute()
  await db.schema
    .alterTable('tokens')
    .addColumn('budget_period', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createTable('token_budgets')
    .addColumn('token_id', 'bigint', (column) => column.notNull())
    .addColumn('period_start', 'bigint', (column) => column.notNull())
    .addColumn('limit_quota', 'bigint', (column) => column.notNull().check(bounded('limit_quota')))
    .addColumn('spent', 'bigint', (column) => column.notNull().check(bounded('spent')))
    .addColumn('quota_leased', 'bigint', (column) =>
      column.notNull().check(bounded('quota_leased')),
    )
    .addPrimaryKeyConstraint('token_budgets_pk', ['token_id', 'period_start'])
    .addCheckConstraint(
      'leased_within_limit',
      sql`quota_leased = 0 or spent + quota_leased <= limit_quota`,
    )
    .execute()
  await db.schema
    .alterTable('ledger_days')
    .addColumn('budget_charged', 'bigint', (column) =>
      column.notNull().defaultTo(0).check(bounded('budget_charged')),
    )
    .execute()
}

function withId<Table extends string>(builder: CreateTableBuilder<Table, never>, kind: Kind) {
  return kind === 'sqlite'
    ? builder.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : builder.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      )
}

async function faults(db: Kysely<unknown>, kind: Kind) {
  await withId(db.schema.createTable('ledger_faults'), kind)
    .addColumn('run', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .addColumn('error', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('resolved_at', 'bigint')
    .execute()
  await db.schema.createIndex('ledger_faults_run').on('ledger_faults').column('run').execute()
}

async function endings(db: Kysely<unknown>) {
  await db.schema
    .alterTable('logs')
    .addColumn('late', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('logs')
    .addColumn('disconnect_policy', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}
