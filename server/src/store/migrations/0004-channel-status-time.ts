import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Since when a channel has the status it has; 0 for channels that were there before. */
export const channelStatusTime: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channels')
      .addColumn('status_time', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
