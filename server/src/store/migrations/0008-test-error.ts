import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Why the last test of a channel did not pass; empty for one that did, or was not tested. */
export const testError: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channels')
      .addColumn('test_error', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}
