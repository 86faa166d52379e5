import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A request that was given back has no basis, which alone told what was held. */
export const heldOfLogs: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('logs')
      .addColumn('held', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
