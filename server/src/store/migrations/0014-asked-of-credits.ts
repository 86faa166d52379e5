import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What an edit asked for, where less was booked: by that it is known when it is sent again. */
export const askedOfCredits: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('credits').addColumn('asked', 'bigint').execute()
  },
}
