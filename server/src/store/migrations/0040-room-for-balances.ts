import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const FILLED_PERCENT = 50

/**
 * Leaves room on PostgreSQL's pages, so that a new balance is written next to the old one. A row
 * that moves to another page is written to all indexes again.
 */
export const roomForBalances = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    if (kind === 'sqlite') return
    for (const name of ['users', 'tokens', 'import_rows']) {
      await sql`alter table ${sql.table(name)} set (fillfactor = ${sql.lit(FILLED_PERCENT)})`.execute(
        db,
      )
    }
  },
})
