import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Counts a channel's failed attempts whose request another channel took over. Earlier attempts are
 * not counted.
 */
export const lostAttempts: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channel_hours')
      .addColumn('lost', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
