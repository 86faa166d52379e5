import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { nextPeriodStart } from '../../domain/budget-period.ts'

const UNIQUE = ['logs_pkey', 'logs_request_id_key']

/**
 * Partitions PostgreSQL's log by month, so that old months can be dropped whole. Existing rows stay
 * in place: their table becomes the partition up to the end of this month. Rows without a month's
 * partition go to the default partition.
 */
export const logPartitions = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    if (kind === 'postgres') await partition(db)
  },
})

async function partition(db: Kysely<unknown>) {
  const indexes = await listIndexes(db)
  const { id, now } = await readNext(db)
  await renameTable(db, indexes)
  await sql`create table logs (like logs_first including defaults including constraints)
    partition by range (created_at)`.execute(db)
  await sql`alter table logs add primary key (id, created_at)`.execute(db)
  await sql`create sequence logs_id_seq start with ${sql.lit(id)} owned by logs.id`.execute(db)
  await sql`alter table logs alter column id set default nextval('logs_id_seq')`.execute(db)
  for (const { definition } of indexes) await sql.raw(definition).execute(db)
  await attachRows(db, nextPeriodStart('month', now))
}

/**
 * Index definitions, to recreate the indexes over all partitions. The indexes of existing rows
 * become parts of them.
 */
async function listIndexes(db: Kysely<unknown>) {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = current_schema() and tablename = 'logs'
      and indexname not in (${sql.join(UNIQUE)})`.execute(db)
  return rows
}

/** The next row's id, and the database time. */
async function readNext(db: Kysely<unknown>) {
  const { rows } = await sql<{ id: number; now: number }>`
    select greatest(
        nextval(pg_get_serial_sequence('logs', 'id')), (select coalesce(max(id), 0) + 1 from logs)
      ) as id,
      cast(floor(extract(epoch from clock_timestamp())) as bigint) as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database did not tell its next id')
  return row
}

/**
 * A partitioned table's unique keys must include the partition key, so that a request id is unique
 * only within its partition.
 */
async function renameTable(db: Kysely<unknown>, indexes: readonly { name: string }[]) {
  await sql`alter table logs rename to logs_first`.execute(db)
  for (const { name } of indexes) {
    const renamed = sql.ref(name.replace(/^logs/, 'logs_first'))
    await sql`alter index ${sql.ref(name)} rename to ${renamed}`.execute(db)
  }
  await sql`alter table logs_first drop constraint logs_pkey`.execute(db)
  await sql`alter table logs_first rename constraint logs_request_id_key
    to logs_first_request_id_key`.execute(db)
  await sql`alter table logs_first alter column id drop identity`.execute(db)
  await sql`alter table logs_first alter column id set not null`.execute(db)
}

async function attachRows(db: Kysely<unknown>, end: number) {
  await sql`create table logs_default (like logs including defaults including constraints)`.execute(
    db,
  )
  await sql`alter table logs_default add unique (request_id)`.execute(db)
  // Rows written under a clock that was ahead.
  await sql`with later as (delete from logs_first where created_at >= ${end} returning *)
    insert into logs_default select * from later`.execute(db)
  await sql`alter table logs attach partition logs_default default`.execute(db)
  await sql`alter table logs attach partition logs_first
    for values from (minvalue) to (${sql.lit(end)})`.execute(db)
}
