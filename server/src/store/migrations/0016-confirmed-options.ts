import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Existing changes count as confirmed, so that an upgrade locks no user out. */
export const confirmedOptions: Migration = {
  up: async (db: Kysely<unknown>) => {
    const changes = () => db.schema.alterTable('option_changes')
    await changes()
      .addColumn('confirmed', 'integer', (column) => column.notNull().defaultTo(1))
      .execute()
    await changes()
      .addColumn('confirmed_by', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await changes()
      .addColumn('confirmed_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
    // Every administrator's login reads the last change of an option.
    await db.schema
      .createIndex('option_changes_key')
      .on('option_changes')
      .columns(['key', 'id'])
      .execute()
  },
}
