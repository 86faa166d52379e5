import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What was imported from other gateways, so that a later import adds only what is new. */
export const imports: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('import_sources')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('product', 'text', (column) => column.notNull())
      .addColumn('log_cursor', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('batches', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('import_rows')
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('old_id', 'text', (column) => column.notNull())
      .addColumn('new_id', 'bigint', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('quota', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('used', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('requests', 'bigint', (column) => column.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('import_rows_pk', ['source', 'kind', 'old_id'])
      .execute()
  },
}
