import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

type Kind = 'sqlite' | 'postgres'

/**
 * `alerts` is the history that administrators see. `open_alerts` has the rules whose threshold is
 * crossed now, so that each crossing alerts once. `seen_alerts` has the newest alert that each
 * administrator has seen.
 */
export const alerts = (kind: Kind): Migration => ({
  up: async (db: Kysely<unknown>) => {
    const id = kind === 'sqlite' ? 'integer primary key' : 'bigint primary key'
    await sql`create table alerts (id ${sql.raw(id)}, message text not null,
      created_at bigint not null)`.execute(db)
    await sql`create table open_alerts (rule text not null, subject text not null,
      since bigint not null, primary key (rule, subject))`.execute(db)
    await sql`create table seen_alerts (user_id bigint primary key, alert_id bigint not null)`.execute(
      db,
    )
  },
})
