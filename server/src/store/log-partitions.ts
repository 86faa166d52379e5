import { type Kysely, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import { nextPeriodStart, periodStart } from '../domain/budget-period.ts'
import type { Database, Tx } from './database.ts'
import { isLockTimeout, isStatementTimeout } from './failures.ts'
import type { Schema } from './schema.ts'

type Postgres = Pick<Database, 'kysely' | 'transaction'>

/** A null bound is open: the first partition has no start, the default partition neither bound. */
type Partition = { name: string; start: Seconds | null; end: Seconds | null }

const MONTHS_AHEAD = 2
/**
 * A transaction waiting to lock the whole log makes all later readers and writers wait behind it.
 */
const LOCK_TIMEOUT_MS = 500
/**
 * At most this many rows move from the default partition into a new month. Readers of the whole log
 * wait meanwhile.
 */
export const MOVED_ROWS_MAX = 10_000
/**
 * Attaching a partition scans every row of the default partition for rows that belong to the new
 * one.
 */
const CREATE_TIMEOUT_MS = 2000
const COUNT_BATCH_ROWS = 1_000_000
/** Serializes creating and dropping partitions across nodes. */
const ADVISORY_LOCK = 5_046_217
const DETACHED = '_detached'

/**
 * Creates the partitions for this month and the next two. Until a month's partition exists, its
 * rows go to the default partition, so a later call may create it. One node at a time does this.
 * Returns the first month that cannot be created because the default partition has too many rows,
 * or null. Skips the months in `crowded`, which are known to be so.
 */
export async function addLogMonths(
  database: Postgres,
  now: Seconds,
  crowded: ReadonlySet<Seconds> = new Set(),
): Promise<Seconds | null> {
  const parts = await listPartitions(database.kysely)
  let start = periodStart('month', now)
  for (let months = 0; months <= MONTHS_AHEAD; months++) {
    const isToMake = !isCovered(parts, start) && !crowded.has(start)
    if (isToMake && !(await tryAddMonth(database, start))) return start
    start = nextPeriodStart('month', start)
  }
  return null
}

const isCovered = (parts: readonly Partition[], start: Seconds) =>
  parts.some(({ start: from, end }) => end !== null && (from ?? -Infinity) <= start && start < end)

/**
 * Creates a month's partition, or leaves it for later if the log is locked. False if the default
 * partition has too many rows.
 */
async function tryAddMonth(database: Postgres, start: Seconds): Promise<boolean> {
  try {
    return (await nullIfLocked(database.transaction((tx) => addMonth(tx, start)))) ?? true
  } catch (error) {
    if (isStatementTimeout(error)) return false
    throw error
  }
}

async function addMonth(tx: Tx, start: Seconds): Promise<boolean> {
  await limitLockWait(tx)
  // Another node may have created the partition meanwhile.
  if (!(await tryAdvisoryLock(tx)) || isCovered(await listPartitions(tx), start)) return true
  const end = nextPeriodStart('month', start)
  if ((await countDefault(tx, { start, end })) > MOVED_ROWS_MAX) return false
  await sql`set local statement_timeout = ${sql.lit(CREATE_TIMEOUT_MS)}`.execute(tx)
  const month = sql.table(nameOf(start))
  await sql`create table ${month} (like logs including defaults including constraints)`.execute(tx)
  await sql`alter table ${month} add unique (request_id)`.execute(tx)
  await sql`lock table logs_default in access exclusive mode`.execute(tx)
  await sql`with moved as (
      delete from logs_default where created_at >= ${start} and created_at < ${end} returning *
    ) insert into ${month} select * from moved`.execute(tx)
  await sql`alter table logs attach partition ${month}
    for values from (${sql.lit(start)}) to (${sql.lit(end)})`.execute(tx)
  return true
}

const nameOf = (start: Seconds) =>
  `logs_${new Date(start * 1000).toISOString().slice(0, 'yyyy-mm'.length).replace('-', '_')}`

async function countDefault(tx: Tx, { start, end }: { start: Seconds; end: Seconds }) {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
      select 1 from logs_default where created_at >= ${start} and created_at < ${end}
      limit ${MOVED_ROWS_MAX + 1}
    ) as rows`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Null if a long read of the log blocks the work. */
export const nullIfLocked = <Result>(work: Promise<Result>): Promise<Result | null> =>
  work.catch((error: unknown) => {
    if (isLockTimeout(error)) return null
    throw error
  })

export const limitLockWait = (tx: Tx) =>
  sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(tx)

export async function tryAdvisoryLock(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ first: boolean }>`
    select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as first`.execute(tx)
  return rows[0]?.first === true
}

export async function listPartitions(db: Kysely<Schema>): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select name, cast(substring(bounds from 'FROM \\(''(\\d+)''\\)') as bigint) as start,
      cast(substring(bounds from 'TO \\(''(\\d+)''\\)') as bigint) as "end"
    from (
      select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bounds
      from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'logs'::regclass
    ) as parts`.execute(db)
  return rows
}

/**
 * Drops the partitions whose rows all precede a moment and returns how many rows they had. Keeps a
 * partition that a long read holds, and all remaining partitions once the signal fires.
 */
export async function dropLogMonths(
  database: Postgres,
  before: Seconds,
  signal?: AbortSignal,
): Promise<number> {
  for (const { name, end } of await listPartitions(database.kysely)) {
    if (end === null || end > before || signal?.aborted === true) continue
    await nullIfLocked(database.transaction((tx) => detach(tx, name)))
  }
  let count = 0
  for (const name of await listDetached(database.kysely)) {
    const dropped = database.transaction((tx) => dropDetached(tx, name, signal))
    count += (await nullIfLocked(dropped)) ?? 0
  }
  return count
}

/**
 * Locks the log only to detach, so that the rows are counted after the lock is released. Another
 * node may have detached the partition meanwhile.
 */
async function detach(tx: Tx, name: string) {
  await limitLockWait(tx)
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx)
  if (!(await listPartitions(tx)).some((part) => part.name === name)) return
  await sql`alter table logs detach partition ${sql.table(name)}`.execute(tx)
  await sql`alter table ${sql.table(name)} rename to ${sql.ref(name + DETACHED)}`.execute(tx)
}

/** Includes partitions that a crashed process detached but did not drop. */
async function listDetached(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema() and tablename like ${`logs\\_%\\${DETACHED}`}`.execute(db)
  return rows.map(({ name }) => name)
}

/** The lock ensures that only one process counts and drops the partition. */
async function dropDetached(tx: Tx, name: string, signal?: AbortSignal): Promise<number> {
  await limitLockWait(tx)
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx)
  if (!(await listDetached(tx)).includes(name)) return 0
  const count = await countRows(tx, name, signal)
  if (count === null) return 0
  await sql`drop table ${sql.table(name)}`.execute(tx)
  return count
}

/** Counts in pieces to stay below the statement timeout. Null if the signal fires first. */
async function countRows(tx: Tx, table: string, signal?: AbortSignal): Promise<number | null> {
  let count = 0
  for (let last = 0; signal?.aborted !== true;) {
    const batch = await countBatch(tx, { table, after: last })
    if (batch.count === 0) return count
    count += batch.count
    last = batch.last
  }
  return null
}

async function countBatch(tx: Tx, { table, after }: { table: string; after: number }) {
  const { rows } = await sql<{ count: number; last: number }>`
    select count(*) as count, coalesce(max(id), 0) as last from (
      select id from ${sql.table(table)} where id > ${after} order by id limit ${COUNT_BATCH_ROWS}
    ) as piece`.execute(tx)
  return rows[0] ?? { count: 0, last: 0 }
}
