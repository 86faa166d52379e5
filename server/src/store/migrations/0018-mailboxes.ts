import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { mailboxOf } from '../../domain/mailbox.ts'

type UsersNow = { users: { id: number; email: string; email_mailbox: string } }

const BATCH = 1000

/** Adds the mailbox of each address. Not unique, so that existing accounts may share a mailbox. */
export const mailboxes: Migration = {
  up: async (db: Kysely<UsersNow>) => {
    await db.schema
      .alterTable('users')
      .addColumn('email_mailbox', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    // An address is its own mailbox unless its provider is known to have aliases.
    await sql`update users set email_mailbox = email`.execute(db)
    for (let after = 0; ;) {
      const rows = await db
        .selectFrom('users')
        .select(['id', 'email'])
        .where('id', '>', after)
        .where('email', '<>', '')
        .orderBy('id')
        .limit(BATCH)
        .execute()
      for (const { id, email } of rows) {
        const email_mailbox = mailboxOf(email)
        if (email_mailbox === email) continue
        await db.updateTable('users').set({ email_mailbox }).where('id', '=', id).execute()
      }
      const last = rows.at(-1)
      if (last === undefined) break
      after = last.id
    }
    await db.schema
      .createIndex('users_email_mailbox_index')
      .on('users')
      .column('email_mailbox')
      .execute()
  },
}
