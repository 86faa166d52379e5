import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When a redemption code stops working, in epoch seconds; 0 for never. */
export const redemptionExpiry: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('redemptions')
      .addColumn('expired_time', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
