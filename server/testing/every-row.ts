import { sql } from 'kysely'
import type { Database } from '../src/store/database.ts'
import type { Schema } from '../src/store/schema.ts'

const TABLES: Readonly<Record<keyof Schema, true>> = {
  users: true,
  tokens: true,
  channels: true,
  abilities: true,
  redemptions: true,
  options: true,
  sessions: true,
  logs: true,
  ledger_nodes: true,
  holds: true,
  credits: true,
  ledger_days: true,
  rollups: true,
  partner_entries: true,
  verification_codes: true,
  oauth_states: true,
  outbox: true,
  option_changes: true,
  meta: true,
}

/** Everything that is stored, to be compared with what is stored later. */
export async function everyRow({ kysely }: Pick<Database, 'kysely'>) {
  const tables = Object.keys(TABLES).map(async (name) => {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(kysely)
    return [name, rows.map((row) => JSON.stringify(row)).toSorted()] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}
