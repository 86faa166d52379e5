import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The balance below which a user wants a mail: null for that of the site, 0 for no mail. */
export const ownReminder: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('users').addColumn('remind_below', 'bigint').execute()
  },
}
