import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The last test of each key of a channel that was tested alone. */
export const keyTests: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('channel_key_tests')
      .addColumn('channel_id', 'bigint', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('tested_at', 'bigint', (column) => column.notNull())
      .addColumn('milliseconds', 'bigint', (column) => column.notNull())
      .addColumn('error', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('channel_key_tests_pk', ['channel_id', 'key'])
      .execute()
  },
}
