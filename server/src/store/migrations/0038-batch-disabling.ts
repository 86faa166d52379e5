import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const DISABLED = 2

/**
 * Tells codes that were disabled with their batch from those disabled one by one. How older codes
 * were disabled is unknown, so enabling their batch still enables them.
 */
export const batchDisabling: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('redemptions')
      .addColumn('disabled_with_batch', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await sql`update redemptions set disabled_with_batch = 1 where status = ${sql.lit(DISABLED)}`.execute(
      db,
    )
  },
}
