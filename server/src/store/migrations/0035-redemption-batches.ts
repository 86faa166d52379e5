import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The name of the generation that a redemption code belongs to. Older codes shared their name. */
export const redemptionBatches: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('redemptions')
      .addColumn('batch', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await sql`update redemptions set batch = name`.execute(db)
    await db.schema
      .createIndex('redemptions_batch')
      .on('redemptions')
      .columns(['batch', 'id'])
      .execute()
  },
}
