import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Changes from before count as confirmed, so that an upgrade keeps nobody out. */
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
    // The last change of an option is read with every sign-in of an administrator.
    await db.schema
      .createIndex('option_changes_key')
      .on('option_changes')
      .columns(['key', 'id'])
      .execute()
  },
}
