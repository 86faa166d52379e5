import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Must match `IS_UNUSUAL` of the filter. Literals, because a database compares the texts. */
const IS_UNUSUAL = sql`endpoint <> 'chat' or "group" <> 'default'`

/**
 * Finds the rows of a rare endpoint or group. Endpoints are so few that a group is sought in each
 * of them. Charges of chat completions in the default group, which are most, do not maintain it.
 *
 * SQLite gets cost and duration in its index by time, as PostgreSQL has them: it is a quarter of
 * the index with all facts and read in half of the time.
 */
export const endpointOfLogs = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await sql`create index logs_endpoint on logs (endpoint, "group") where ${IS_UNUSUAL}`.execute(
      db,
    )
    if (kind === 'postgres') return
    await sql`drop index logs_created_at`.execute(db)
    await sql`create index logs_created_at on logs
      (created_at, id, quota, elapsed_time, type)`.execute(db)
  },
})
