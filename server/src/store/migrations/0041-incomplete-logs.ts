import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const FACTS = sql.raw(
  `type, user_id, channel, model_name, token_name, outcome, end_reason, endpoint, is_stream, quota,
  elapsed_time, first_token_time, prompt_tokens, completion_tokens`,
)

/** Literals, because a database compares them with the conditions of statements. */
const IS_INCOMPLETE = sql`outcome <> 'settled' or end_reason not in ('finished', '')`

/**
 * Adds answers that were cut off to the partial index by id, so that rare results and errors are
 * found without reading the log. Servers of the version before use the index for its other rows.
 */
export const incompleteLogs = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    const columns =
      kind === 'sqlite' ? sql`id, created_at, ${FACTS}` : sql`id) include (created_at, ${FACTS}`
    await sql`create index logs_incomplete_id on logs (${columns}) where ${IS_INCOMPLETE}`.execute(
      db,
    )
    await sql`drop index logs_unsettled_id`.execute(db)
  },
})
