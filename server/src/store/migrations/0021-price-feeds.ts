import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Price feeds, and the prices that were applied from them. */
export const priceFeeds = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    const feeds = db.schema.createTable('price_feeds')
    const withId =
      kind === 'sqlite'
        ? feeds.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        : feeds.addColumn('id', 'bigint', (column) =>
            column.primaryKey().generatedByDefaultAsIdentity(),
          )
    await withId
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('key_group', 'text', (column) => column.notNull())
      .addColumn('every_hours', 'integer', (column) => column.notNull())
      .addColumn('auto_vendors', 'text', (column) => column.notNull())
      .addColumn('alert_percent', 'integer', (column) => column.notNull())
      .addColumn('stale_days', 'integer', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('models', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('problems', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('asked_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('read_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('error', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('error_zh', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('stale_alert_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .addColumn('alerted_changes', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await db.schema
      .createTable('feed_prices')
      .addColumn('model', 'text', (column) => column.primaryKey())
      .addColumn('feed_id', 'bigint', (column) => column.notNull())
      .addColumn('feed', 'text', (column) => column.notNull())
      .addColumn('vendor', 'text', (column) => column.notNull())
      .addColumn('price', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
  },
})
