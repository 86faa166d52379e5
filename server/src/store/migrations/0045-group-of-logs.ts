import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const FACTS = sql.raw(
  `type, user_id, channel, model_name, token_name, outcome, end_reason, endpoint, is_stream, quota,
  elapsed_time, first_token_time, prompt_tokens, completion_tokens, "group"`,
)

/** Literals, because a database compares them with the conditions of statements. */
const IS_INCOMPLETE = sql`outcome <> 'settled' or end_reason not in ('finished', '')`

/**
 * The group that served a request, as the sums by group have it, and both indexes by id with it, so
 * that a filter and a facet by group read no whole rows. Rows of earlier versions have none: that
 * of a charge is in its basis, and a whole log is not rewritten for it.
 */
export const groupOfLogs = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('logs')
      .addColumn('group', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    await sql`drop index logs_incomplete_id`.execute(db)
    if (kind === 'sqlite') {
      await sql`drop index logs_id`.execute(db)
      await sql`create index logs_id on logs (id, created_at, ${FACTS})`.execute(db)
      await sql`create index logs_incomplete_id on logs (id, created_at, ${FACTS})
        where ${IS_INCOMPLETE}`.execute(db)
      return
    }
    await sql`alter table logs drop constraint logs_pkey,
      add primary key (id, created_at) include (${FACTS})`.execute(db)
    await sql`create index logs_incomplete_id on logs (id) include (created_at, ${FACTS})
      where ${IS_INCOMPLETE}`.execute(db)
  },
})
