import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Time of the last status change; 0 for existing channels. */
export const channelStatusTime: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channels')
      .addColumn('status_time', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
