import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Every column that a filter, a facet or a sort of the log reads, frequent ones first. */
const FACTS = [
  'type',
  'user_id',
  'channel',
  'model_name',
  'token_name',
  'outcome',
  'end_reason',
  'endpoint',
  'is_stream',
  'quota',
  'elapsed_time',
  'first_token_time',
  'prompt_tokens',
  'completion_tokens',
] as const

/**
 * The API that a client called, and an index by id with all that filters read. Rows are a kilobyte
 * wide, and the index a tenth of it. It replaces an index of the same order and the index by type,
 * so that charges do not get slower. Failed requests and notes have the same facts again in a
 * partial index.
 */
export const logFacts = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('logs')
      .addColumn('endpoint', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    // The indexes by id find rows of a type: requests among all, others among unsettled rows.
    await sql`drop index logs_type`.execute(db)
    const facts = sql.join(FACTS.map((column) => sql.ref(column)))
    if (kind === 'sqlite') {
      await sql`drop index logs_id`.execute(db)
      await sql`create index logs_id on logs (id, created_at, ${facts})`.execute(db)
      await sql`create index logs_unsettled_id on logs (id, created_at, ${facts})
        where outcome <> 'settled'`.execute(db)
      return
    }
    await sql`alter table logs drop constraint logs_pkey`.execute(db)
    await sql`alter table logs
      add primary key (id, created_at) include (${facts})`.execute(db)
    await sql`create index logs_unsettled_id on logs (id) include (created_at, ${facts})
      where outcome <> 'settled'`.execute(db)
  },
})
