import { type Kysely, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Database } from './database.ts'
import { dropLogMonths } from './log-partitions.ts'
import type { Schema } from './schema.ts'

/** Whoever writes meanwhile waits for one slice at most. */
const SLICE_ROWS = 500
const KEPT_SINCE = 'logs_kept_since'

/** Rows of requests from before this moment, in epoch seconds, were deleted; 0 when none ever were. */
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
 * Deletes all rows of the log before a moment; tells how many there were. On PostgreSQL months that are over by then go
 * as a whole.
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
    // Somebody else may have deleted the same rows, and left others.
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
    // Months that are newer are not looked through for these ids.
    .$if(kind === 'postgres', (rows) => rows.where('created_at', '<', seconds))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
