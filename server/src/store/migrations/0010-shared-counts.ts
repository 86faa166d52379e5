import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Counts and alerts that all processes share. */
export const sharedCounts: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('attempts')
      .addColumn('key_hash', 'text', (column) => column.primaryKey())
      .addColumn('taken', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('attempts_expiry').on('attempts').column('expires_at').execute()
    let runs = db.schema
      .createTable('channel_runs')
      .addColumn('kind', 'text', (column) => column.primaryKey())
      .addColumn('run', 'text', (column) => column.notNull())
    for (const name of ['total', 'done', 'failed', 'started_at', 'ended_at', 'beat_at']) {
      runs = runs.addColumn(name, 'bigint', (column) => column.notNull())
    }
    await runs.execute()
    await db.schema
      .alterTable('channels')
      .addColumn('misreported', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
