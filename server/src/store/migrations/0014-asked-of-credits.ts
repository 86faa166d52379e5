import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * By what an edit is known when it is sent again: what it asked for, where less was booked, and that its id is its
 * sender's. `edit:KIND:OWNER:ID` was the source of an edit with an id, `edit:KIND:OWNER:SENDER:ID` is.
 */
export const askedOfCredits: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('credits').addColumn('asked', 'bigint').execute()
    // Out of the way first: what one is called after this another may have been called before it.
    await sql`update credits set source = 'former:' || source
      where source like 'edit:user:%' or source like 'edit:token:%'`.execute(db)
    const account = sql`'edit:' || kind || ':' || owner_id || ':'`
    await sql`update credits
      set source = ${account} || actor_id || ':' || substr(source, length('former:' || ${account}) + 1)
      where source like 'former:edit:%'`.execute(db)
  },
}
