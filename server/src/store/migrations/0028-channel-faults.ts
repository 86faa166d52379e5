import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Failed attempts by channel, hour, kind, model and key, with the latest example. */
export const channelFaults: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('channel_faults')
      .addColumn('channel_id', 'bigint', (column) => column.notNull())
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('model_name', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('faults', 'bigint', (column) => column.notNull())
      .addColumn('status', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('channel_faults_pk', [
        'channel_id',
        'hour',
        'kind',
        'model_name',
        'key',
      ])
      .execute()
    await db.schema.createIndex('channel_faults_hour').on('channel_faults').column('hour').execute()
  },
}
