import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What each channel did that nobody was charged for; nothing is known of the time before. */
export const unbilledQuota: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channel_hours')
      .addColumn('unbilled_quota', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
