import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * `config_file` has the configuration file that was applied last, in a single row.
 * `managed_objects` has what the file names; `channel_id` is 0 for all but channels.
 */
export const managedObjects: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('config_file')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('locked', 'integer', (column) => column.notNull())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('managed_objects')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('managed_objects_key', ['kind', 'name'])
      .execute()
  },
}
