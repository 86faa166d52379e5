import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Own prices that begin on a later day. */
export const plannedPrices: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('planned_prices')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('from_day', 'text', (column) => column.notNull())
      .addColumn('price', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('planned_prices_pk', ['model', 'from_day'])
      .execute()
  },
}
