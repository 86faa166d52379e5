import { type Kysely, sql } from 'kysely'
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

/** Deletes all rows of the log before a moment; tells how many there were. */
export async function deleteLogsBefore(db: Kysely<Schema>, seconds: number): Promise<number> {
  await noteKeptSince(db, seconds)
  for (let count = 0; ;) {
    const slice = db
      .selectFrom('logs')
      .select('id')
      .where('created_at', '<', seconds)
      .orderBy('created_at')
      .limit(SLICE_ROWS)
    const { numDeletedRows } = await db
      .deleteFrom('logs')
      .where('id', 'in', slice)
      .executeTakeFirstOrThrow()
    count += Number(numDeletedRows)
    if (numDeletedRows === 0n) return count
  }
}
