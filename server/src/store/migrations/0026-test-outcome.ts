import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** How the last test of a channel ended and what it asked. The error tells of earlier tests. */
export const testOutcome: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const column of ['test_outcome', 'test_model', 'test_endpoint'] as const) {
      await db.schema
        .alterTable('channels')
        .addColumn(column, 'text', (added) => added.notNull().defaultTo(''))
        .execute()
    }
    await sql`
      update channels
      set test_outcome = case when test_error = '' then 'passed' else 'failed' end
      where test_time > 0
    `.execute(db)
  },
}
