import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Options with addresses whose path may hold a token. */
const KEYS = ['MessagePusherAddress', 'AlertWebhookAddress', 'AlertFeishuAddress'] as const
const MANAGE = 3
const ADDRESS = /https?:\/\/[^\s"]+/g

type Note = { id: number; created_at: number; content: string }
type Change = { id: number; before: string; after: string }

/** Notes and the history of options kept such addresses in full. Notes are few, and indexed. */
export const maskedAddresses: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const key of KEYS) {
      const notes = await sql<Note>`select id, created_at, content from logs
        where outcome <> 'settled' and type = ${MANAGE}
          and content like ${`%(${key}): %`}`.execute(db)
      for (const { id, created_at: createdAt, content } of notes.rows) {
        await sql`update logs set content = ${masked(content)}
          where id = ${id} and created_at = ${createdAt}`.execute(db)
      }
      const changes = await sql<Change>`
        select id, before, after from option_changes where key = ${key}`.execute(db)
      for (const { id, before, after } of changes.rows) {
        await sql`update option_changes set before = ${masked(before)}, after = ${masked(after)}
          where id = ${id}`.execute(db)
      }
    }
  },
}

const masked = (text: string) =>
  text.replaceAll(ADDRESS, (address) => {
    if (!URL.canParse(address)) return address
    const { origin, href } = new URL(address)
    return href === `${origin}/` ? address : `${origin}/••••`
  })
