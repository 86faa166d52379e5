import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Whoever writes meanwhile waits for one slice at most. */
const SLICE_ROWS = 500

/** Deletes all rows of the log before a moment; tells how many there were. */
export async function deleteLogsBefore(db: Kysely<Schema>, seconds: number): Promise<number> {
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
