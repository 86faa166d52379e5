import { sql } from 'kysely'
import type { Database } from '../../src/store/database.ts'
import type { Schema } from '../../src/store/schema.ts'

const TABLES: Readonly<Record<keyof Schema, true>> = {
  users: true,
  tokens: true,
  channels: true,
  abilities: true,
  redemptions: true,
  options: true,
  sessions: true,
  second_factors: true,
  recovery_codes: true,
  passkeys: true,
  auth_tickets: true,
  logs: true,
  ledger_nodes: true,
  quota_leases: true,
  token_budgets: true,
  ledger_faults: true,
  credits: true,
  ledger_days: true,
  rollups: true,
  model_hours: true,
  channel_hours: true,
  user_hours: true,
  partner_entries: true,
  verification_codes: true,
  oauth_states: true,
  attempts: true,
  channel_runs: true,
  outbox: true,
  option_changes: true,
  meta: true,
}

/** The heartbeat of a node is not a change. */
const withoutBeat = (name: string, value: unknown) => (name === 'beat' ? undefined : value)

export async function everyRow({ kysely }: Pick<Database, 'kysely'>) {
  const tables = Object.keys(TABLES).map(async (name) => {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(kysely)
    return [name, rows.map((row) => JSON.stringify(row, withoutBeat)).toSorted()] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}
