import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Why a channel's last test failed; empty if it passed or the channel was not tested. */
export const testError: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channels')
      .addColumn('test_error', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}
