import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Adds cost and duration to PostgreSQL's index by time, which is a third of the index with all
 * facts: a sort and a sum read fewer bytes. They are key columns, since the index tests conditions
 * of these by itself, in a fraction of the time of a filter. SQLite reads its larger index as fast.
 */
export const measuredLogs = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    if (kind === 'sqlite') return
    await sql`drop index logs_created_at`.execute(db)
    await sql`create index logs_created_at on logs
      (created_at, id, quota, elapsed_time, type)`.execute(db)
  },
})
