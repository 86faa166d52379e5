import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Must match `IS_UNUSUAL` of the filter. Literals, because a database compares the texts. */
const IS_UNUSUAL = sql`endpoint <> 'chat' or "group" <> 'default'`

/**
 * Adds the id to PostgreSQL's index by endpoint and group, so that the newest rows of a value are
 * found without reading its other rows. Every index of SQLite has the id.
 */
export const idsByEndpoint = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    if (kind === 'sqlite') return
    await sql`drop index logs_endpoint`.execute(db)
    await sql`create index logs_endpoint on logs (endpoint, "group", id)
      where ${IS_UNUSUAL}`.execute(db)
  },
})
