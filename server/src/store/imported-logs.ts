import { type Kysely, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import { isStatementTimeout } from './failures.ts'
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
 * log. If it cannot, or if the import breaks off, its rows move to the log in small transactions.
 */
export const IMPORTED_LOGS = 'logs_imported'

const table = sql.table(IMPORTED_LOGS)

/** Shared by transactions that write to the table; whatever replaces the table holds it alone. */
const WRITERS_LOCK = 5_046_218
/** Writing so many rows into all indexes of the log takes a second or two. */
const MOVE_ROWS = 5000

/** Creates the table if the first partition has few rows, which the table will take over. */
export async function prepareImportedLogs(database: Postgres): Promise<void> {
  if (await exists(database.kysely)) return
  await database.transaction(async (tx) => {
    const first = await firstPartition(tx)
    if (first === null || !(await tryLockAlone(tx)) || (await exists(tx))) return
    if (await hasManyRows(tx, first.name)) return
    // The check spares the scan of all rows when the table becomes a partition.
    await sql`create table ${table} (
        like logs including defaults including constraints,
        constraint before_end check (created_at < ${sql.lit(first.end)})
      )`.execute(tx)
  })
}

/** The moment before which rows go to the table, or 0 without the table. */
export async function lockImportedLogs(tx: Tx): Promise<Seconds> {
  await sql`select pg_advisory_xact_lock_shared(${WRITERS_LOCK})`.execute(tx)
  return (await exists(tx)) ? ((await firstPartition(tx))?.end ?? 0) : 0
}

/** Indexes the rows and makes them part of the log, unless another import is writing to them. */
export async function adoptImportedLogs(database: Postgres): Promise<void> {
  if (!(await exists(database.kysely))) return
  for (const step of [index, attach]) {
    if ((await nullIfSlow(database.transaction(step))) !== true) {
      return moveImportedLogs(database)
    }
  }
}

/** Moves the rows to the log, some at a time, until the signal fires or an import writes again. */
export async function moveImportedLogs(database: Postgres, signal?: AbortSignal): Promise<void> {
  if (!(await exists(database.kysely))) return
  while (signal?.aborted !== true && (await database.transaction(moveSome)));
}

/** Null if a long read of the log blocks the work, or if it takes too long. */
const nullIfSlow = <Result>(work: Promise<Result>): Promise<Result | null> =>
  nullIfLocked(work).catch((error: unknown) => {
    if (isStatementTimeout(error)) return null
    throw error
  })

async function exists(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass(${IMPORTED_LOGS}) is not null as found`.execute(db)
  return rows[0]?.found === true
}

async function tryLockAlone(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ first: boolean }>`
    select pg_try_advisory_xact_lock(${WRITERS_LOCK}) as first`.execute(tx)
  return rows[0]?.first === true
}

async function firstPartition(db: Kysely<Schema>): Promise<{ name: string; end: Seconds } | null> {
  for (const { name, start, end } of await listPartitions(db)) {
    if (start === null && end !== null) return { name, end }
  }
  return null
}

async function hasManyRows(tx: Tx, name: string): Promise<boolean> {
  const few = sql`select 1 from ${sql.table(name)} limit ${MOVED_ROWS_MAX + 1}`
  return (await few.execute(tx)).rows.length > MOVED_ROWS_MAX
}

/**
 * Indexes like those of the log, with which they match when the table becomes a partition. False if
 * an import is writing.
 */
async function index(tx: Tx): Promise<boolean> {
  await limitLockWait(tx)
  if (!(await tryLockAlone(tx))) return false
  if (!(await exists(tx))) return true
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

/**
 * The few rows of the first partition move, since partitions cannot overlap. False if the table
 * cannot replace it: it is gone, it has many rows by now, or a later version has changed the log.
 */
async function attach(tx: Tx): Promise<boolean> {
  await limitLockWait(tx)
  if (!(await tryLockAlone(tx)) || !(await tryAdvisoryLock(tx))) return false
  if (!(await exists(tx))) return true
  const first = await firstPartition(tx)
  const columns = await columnsOf(tx, IMPORTED_LOGS)
  const areSame = String(columns) === String(await columnsOf(tx, 'logs'))
  if (first === null || !areSame || (await hasManyRows(tx, first.name))) return false
  const old = sql.table(first.name)
  const list = listOf(columns)
  await sql`lock table logs in access exclusive mode`.execute(tx)
  await sql`insert into ${table} (${list}) select ${list} from ${old}`.execute(tx)
  await sql`alter table logs detach partition ${old}`.execute(tx)
  await sql`drop table ${old}`.execute(tx)
  await sql`alter table logs attach partition ${table}
    for values from (minvalue) to (${sql.lit(first.end)})`.execute(tx)
  await sql`alter table ${table} drop constraint before_end`.execute(tx)
  await sql`alter table ${table} rename to ${sql.ref(first.name)}`.execute(tx)
  return true
}

/** False if nothing is left to do. Drops the empty table. */
async function moveSome(tx: Tx): Promise<boolean> {
  if (!(await tryLockAlone(tx)) || !(await exists(tx))) return false
  const list = listOf(await columnsOf(tx, IMPORTED_LOGS))
  const { numAffectedRows = 0n } = await sql`with moved as (
      delete from ${table}
      where ctid in (select ctid from ${table} limit ${MOVE_ROWS}) returning ${list}
    ) insert into logs (${list}) select ${list} from moved`.execute(tx)
  if (numAffectedRows > 0n) return true
  await sql`drop table ${table}`.execute(tx)
  return false
}

const listOf = (columns: readonly Column[]) => sql.join(columns.map(([name]) => sql.ref(name)))

type Column = readonly [name: string, type: string]

/** By name. */
async function columnsOf(tx: Tx, name: string): Promise<Column[]> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped
    order by attname`.execute(tx)
  return rows.map((row) => [row.name, row.type])
}
