import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A voided request has no charge basis, which was the only record of the held amount. */
export const heldOfLogs: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('logs')
      .addColumn('held', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
