import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A row's Chinese text; empty if `content` is for all readers, as in rows of earlier versions. */
export const languagesOfLogs = (kind: 'sqlite' | 'postgres'): Migration => ({
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('logs')
      .addColumn('content_zh', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    const content = kind === 'postgres' ? sql`content_zh text_pattern_ops` : sql`content_zh`
    const columns = { content_zh: content, own_content_zh: sql`user_id, ${content}` }
    for (const [name, list] of Object.entries(columns)) {
      const index = sql.ref(`logs_unsettled_${name}`)
      await sql`create index ${index} on logs (${list}) where outcome <> 'settled'`.execute(db)
    }
  },
})
