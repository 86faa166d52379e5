import { sql } from 'kysely'
import type { Database } from '../../src/store/database.ts'
import type { Schema } from '../../src/store/schema.ts'

const TABLES: Readonly<Record<keyof Schema, true>> = {
  users: true,
  alerts: true,
  config_file: true,
  managed_objects: true,
  open_alerts: true,
  seen_alerts: true,
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
  channel_faults: true,
  user_hours: true,
  group_hours: true,
  partner_entries: true,
  verification_codes: true,
  oauth_states: true,
  attempts: true,
  channel_runs: true,
  outbox: true,
  option_changes: true,
  stored_items: true,
  unpriced_models: true,
  loss_alerts: true,
  price_feeds: true,
  feed_prices: true,
  bill_sources: true,
  bill_imports: true,
  bill_staged: true,
  bill_lines: true,
  provider_hours: true,
  planned_prices: true,
  import_sources: true,
  import_rows: true,
  meta: true,
}

/** The heartbeat of a node is not a change. */
const HEARTBEAT = 'beat'

/**
 * The rows of each table as texts, in no order that means anything. One query reads all tables,
 * since thirty queries take ten times as long.
 */
export async function everyRow({ kysely, kind }: Pick<Database, 'kysely' | 'kind'>) {
  const tables = kind === 'postgres' ? postgresTables() : await sqliteTables(kysely)
  const all = sql<{ name: string; row: string }>`${sql.join(tables, sql` union all `)}`
  const { rows } = await all.execute(kysely)
  const byTable: Record<string, string[]> = {}
  for (const name of Object.keys(TABLES)) byTable[name] = []
  for (const { name, row } of rows) byTable[name]?.push(row)
  for (const texts of Object.values(byTable)) texts.sort()
  return byTable
}

const postgresTables = () =>
  Object.keys(TABLES).map(
    (name) =>
      sql`select ${sql.lit(name)} as name, (to_jsonb(t) - ${sql.lit(HEARTBEAT)})::text as row
        from ${sql.table(name)} as t`,
  )

async function sqliteTables(kysely: Database['kysely']) {
  const { rows: columns } = await sql<{ table: string; name: string }>`
    select t.name as "table", c.name as name from sqlite_master as t, pragma_table_info(t.name) as c
    where t.type = 'table'`.execute(kysely)
  return Object.keys(TABLES).map((name) => {
    const shown = columns.filter((column) => column.table === name && column.name !== HEARTBEAT)
    const pairs = shown.map((column) => sql`${sql.lit(column.name)}, ${sql.ref(column.name)}`)
    return sql`select ${sql.lit(name)} as name, json_object(${sql.join(pairs)}) as row
      from ${sql.table(name)}`
  })
}
