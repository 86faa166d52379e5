import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Items and responses that clients of the Responses API refer to by id, until they expire. */
export const storedItems: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('stored_items')
      .addColumn('id_hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'bigint', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      // Last, so that reading the other columns skips the long texts.
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute()
    const index = db.schema.createIndex('stored_items_expiry').on('stored_items')
    await index.column('expires_at').execute()
    const ofUsers = db.schema.createIndex('stored_items_user').on('stored_items')
    await ofUsers.columns(['user_id', 'expires_at', 'bytes']).execute()
  },
}
