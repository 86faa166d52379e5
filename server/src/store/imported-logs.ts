import { type Kysely, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import {
  limitLockWait,
  listPartitions,
  MOVED_ROWS_MAX,
  nullIfLocked,
  tryAdvisoryLock,
} from './log-partitions.ts'
import type { Schema } from './schema.ts'

type Postgres = Pick<Database, 'kysely' | 'transaction'>

/**
 * Holds the log rows of an import on PostgreSQL until they are indexed all at once, which takes a
 * sixth of the time that indexing row by row takes. It then replaces the first partition of the
 * log. An import that breaks off leaves the table to the next import, or to the next round of the
 * log's maintenance.
 */
export const IMPORTED_LOGS = 'logs_imported'

const table = sql.table(IMPORTED_LOGS)

/** Creates the table if the first partition has few rows, which the table will take over. */
export async function prepareImportedLogs(database: Postgres): Promise<void> {
  if (await exists(database.kysely)) return
  await database.transaction(async (tx) => {
    const first = await firstPartition(tx)
    if (first === null || !(await tryAdvisoryLock(tx)) || (await exists(tx))) return
    const few = sql`select 1 from ${sql.table(first.name)} limit ${MOVED_ROWS_MAX + 1}`
    if ((await few.execute(tx)).rows.length > MOVED_ROWS_MAX) return
    // The check spares the scan of all rows when the table becomes a partition.
    await sql`create table ${table} (
        like logs including defaults including constraints,
        constraint before_end check (created_at < ${sql.lit(first.end)})
      )`.execute(tx)
  })
}

/** The moment before which rows go to the table, or 0 without the table. */
export async function lockImportedLogs(tx: Tx): Promise<Seconds> {
  if (!(await exists(tx))) return 0
  await sql`lock table ${table} in row exclusive mode`.execute(tx)
  return (await firstPartition(tx))?.end ?? 0
}

/**
 * Indexes the rows and makes them part of the log. False if an import is writing to the table, or
 * if a long read of the log is in the way.
 */
export async function adoptImportedLogs(database: Postgres): Promise<boolean> {
  if (!(await exists(database.kysely))) return true
  for (const step of [index, attach]) {
    if ((await nullIfLocked(database.transaction(step))) === null) return false
  }
  return true
}

async function exists(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass(${IMPORTED_LOGS}) is not null as found`.execute(db)
  return rows[0]?.found === true
}

async function firstPartition(db: Kysely<Schema>): Promise<{ name: string; end: Seconds } | null> {
  for (const { name, start, end } of await listPartitions(db)) {
    if (start === null && end !== null) return { name, end }
  }
  return null
}

/** Takes as long as the rows need. */
async function lockForAdoption(tx: Tx) {
  await limitLockWait(tx)
  await sql`set local statement_timeout = 0`.execute(tx)
  await sql`lock table ${table} in access exclusive mode`.execute(tx)
}

/** Indexes like those of the log, with which they match when the table becomes a partition. */
async function index(tx: Tx): Promise<true> {
  await lockForAdoption(tx)
  const { rows } = await sql<{ definition: string; constraint: string | null }>`
    select pg_get_indexdef(indexrelid) as definition,
      (select pg_get_constraintdef(oid) from pg_constraint where conindid = indexrelid)
        as "constraint"
    from pg_index where indrelid = 'logs'::regclass
      and not exists (select 1 from pg_index where indrelid = ${IMPORTED_LOGS}::regclass)`.execute(
    tx,
  )
  if (rows.length === 0) return true
  await sql`set local maintenance_work_mem = '256MB'`.execute(tx)
  await sql`alter table ${table} add unique (request_id)`.execute(tx)
  for (const { definition, constraint } of rows) {
    const [, method = ''] = definition.split(' USING ')
    const added =
      constraint === null
        ? sql`create index on ${table} using ${sql.raw(method)}`
        : sql`alter table ${table} add ${sql.raw(constraint)}`
    await added.execute(tx)
  }
  return true
}

/** The rows of the first partition move, since partitions cannot overlap. */
async function attach(tx: Tx): Promise<true> {
  await lockForAdoption(tx)
  const first = await firstPartition(tx)
  if (first === null) throw new Error('the log has no first partition')
  const columns = await columnsOf(tx, IMPORTED_LOGS)
  if (columns.length < (await columnsOf(tx, 'logs')).length) return copy(tx, columns)
  const [old, end] = [sql.table(first.name), sql.lit(first.end)]
  await sql`lock table logs in access exclusive mode`.execute(tx)
  await sql`insert into ${table} select * from ${old}`.execute(tx)
  await sql`alter table logs detach partition ${old}`.execute(tx)
  await sql`drop table ${old}`.execute(tx)
  await sql`alter table logs attach partition ${table}
    for values from (minvalue) to (${end})`.execute(tx)
  await sql`alter table ${table} drop constraint before_end`.execute(tx)
  await sql`alter table ${table} rename to ${sql.ref(first.name)}`.execute(tx)
  return true
}

/** A later version has added columns to the log since the import broke off. */
async function copy(tx: Tx, columns: readonly string[]): Promise<true> {
  const list = sql.join(columns.map((name) => sql.ref(name)))
  await sql`insert into logs (${list}) select ${list} from ${table}`.execute(tx)
  await sql`drop table ${table}`.execute(tx)
  return true
}

async function columnsOf(tx: Tx, name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select attname as name from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped`.execute(tx)
  return rows.map((row) => row.name)
}
