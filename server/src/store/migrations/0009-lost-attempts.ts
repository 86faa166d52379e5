import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** How often a channel failed a request that went on elsewhere; nothing is known of the time before. */
export const lostAttempts: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channel_hours')
      .addColumn('lost', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
