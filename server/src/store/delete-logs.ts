import { type Kysely, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Database } from './database.ts'
import { dropLogMonths } from './log-partitions.ts'
import type { Schema } from './schema.ts'

/** Concurrent writers wait for one slice at most. */
const SLICE_ROWS = 500
const KEPT_SINCE = 'logs_kept_since'

/** Rows older than this moment, in epoch seconds, were deleted; 0 if none ever were. */
export async function logsKeptSince(db: Kysely<Schema>): Promise<number> {
  const found = await db
    .selectFrom('meta')
    .select('value')
    .where('name', '=', KEPT_SINCE)
    .executeTakeFirst()
  return Number(found?.value ?? 0)
}

async function noteKeptSince(db: Kysely<Schema>, seconds: number) {
  await db
    .insertInto('meta')
    .values({ name: KEPT_SINCE, value: String(seconds) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: String(seconds) })
        .where(sql<boolean>`cast(meta.value as bigint) < ${seconds}`),
    )
    .execute()
}

/**
 * Deletes all log rows before a moment and returns their count. On PostgreSQL, partitions of months
 * that ended before it are dropped whole.
 */
export async function deleteLogsBefore(
  database: Database,
  seconds: Seconds,
  signal?: AbortSignal,
): Promise<number> {
  await noteKeptSince(database.kysely, seconds)
  let count = database.kind === 'postgres' ? await dropLogMonths(database, seconds, signal) : 0
  while (signal?.aborted !== true) {
    const deleted = await deleteSlice(database, seconds)
    // Another process may have deleted this slice while older rows remain.
    if (deleted === 0 && !(await hasRowBefore(database, seconds))) break
    count += deleted
  }
  return count
}

async function hasRowBefore({ kysely }: Database, seconds: Seconds): Promise<boolean> {
  const row = await kysely
    .selectFrom('logs')
    .select('id')
    .where('created_at', '<', seconds)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function deleteSlice({ kind, kysely }: Database, seconds: Seconds): Promise<number> {
  const slice = kysely
    .selectFrom('logs')
    .select('id')
    .where('created_at', '<', seconds)
    .orderBy('created_at')
    .limit(SLICE_ROWS)
  const { numDeletedRows } = await kysely
    .deleteFrom('logs')
    .where('id', 'in', slice)
    // Keeps PostgreSQL from searching newer partitions for these ids.
    .$if(kind === 'postgres', (rows) => rows.where('created_at', '<', seconds))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
