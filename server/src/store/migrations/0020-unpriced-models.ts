import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Requests for models without a price, by model. */
export const unpricedModels: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('unpriced_models')
      .addColumn('model', 'text', (column) => column.primaryKey())
      .addColumn('first_at', 'bigint', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .addColumn('charged', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('rejected', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
