import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A word of the operator's own, by which channels are found and edited together. */
export const channelTags: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('channels')
      .addColumn('tag', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}
