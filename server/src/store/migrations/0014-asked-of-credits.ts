import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Makes repeated edits recognizable: `asked` is the requested amount if less was booked, and an
 * edit's id is unique per sender. The source of an edit with an id was `edit:KIND:OWNER:ID` and
 * becomes `edit:KIND:OWNER:SENDER:ID`.
 */
export const askedOfCredits: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('credits').addColumn('asked', 'bigint').execute()
    // Renames all sources first, because a new source may equal another row's old source.
    await sql`update credits set source = 'former:' || source
      where source like 'edit:user:%' or source like 'edit:token:%'`.execute(db)
    const account = sql`'edit:' || kind || ':' || owner_id || ':'`
    await sql`update credits
      set source = ${account} || actor_id || ':' || substr(source, length('former:' || ${account}) + 1)
      where source like 'former:edit:%'`.execute(db)
  },
}
