import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Cost of each channel's work that was not charged to anyone. Earlier work is not included. */
export const unbilledQuota: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channel_hours')
      .addColumn('unbilled_quota', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
