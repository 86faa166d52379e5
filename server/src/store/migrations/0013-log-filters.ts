import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Additional columns of each filter's index: time, type, summed columns and all other filters. */
const FILTERS = {
  user_id: ['created_at', 'type', 'token_name', 'model_name'],
  username: ['created_at', 'type', 'quota', 'token_name', 'channel', 'model_name'],
  token_name: ['created_at', 'type', 'quota', 'channel', 'model_name'],
  channel: ['created_at', 'type', 'model_name'],
} as const

/** Finds and counts log pages with several filters without reading the rows. */
export const logFilters = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    for (const [column, beside] of Object.entries(FILTERS)) {
      await db.schema.dropIndex(`logs_${column}`).execute()
      await db.schema
        .createIndex(`logs_${column}`)
        .on('logs')
        .columns([column, 'id', ...beside])
        .execute()
    }
    // Rows that a page skips are wide. PostgreSQL has this index as the log's primary key.
    if (kind === 'sqlite') {
      await db.schema.createIndex('logs_id').on('logs').columns(['id', 'created_at']).execute()
    }
  },
})
