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
  channel_key_tests: true,
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

type Tables = Pick<Database, 'kysely' | 'kind'>

/** By database, because building the query takes longer than running it on small tables. */
const queries = new WeakMap<Tables['kysely'], string>()

/**
 * What each table holds, equal if the rows are, in whatever order: the rows on SQLite, their number
 * and the sum of their hashes on PostgreSQL. One query reads all tables.
 */
export async function everyRow({ kysely, kind }: Tables): Promise<Record<string, string>> {
  const query =
    queries.get(kysely) ??
    (kind === 'postgres' ? postgresQuery() : sqliteQuery(await sqliteColumns(kysely)))
  queries.set(kysely, query)
  const { rows } = await sql.raw<{ name: string; held: string | null }>(query).execute(kysely)
  return Object.fromEntries(rows.map(({ name, held }) => [name, held ?? '']))
}

const queryOf = (held: string, rowOf: (table: string) => string) =>
  Object.keys(TABLES)
    .map((name) => `select '${name}' as name, ${held} as held from (${rowOf(name)}) as rows`)
    .join(' union all ')

const postgresQuery = () =>
  queryOf(`count(*) || ' rows, ' || coalesce(sum(hashtextextended(row, 0)), 0)`, (name) => {
    const row = name === 'ledger_nodes' ? `to_jsonb(t) - '${HEARTBEAT}'` : 't'
    return `select (${row})::text as row from ${name} as t`
  })

type Column = { table: string; name: string }

const sqliteQuery = (columns: Column[]) =>
  queryOf('group_concat(row, char(10) order by row)', (name) => {
    const shown = columns.filter((column) => column.table === name && column.name !== HEARTBEAT)
    const pairs = shown.map((column) => `'${column.name}', "${column.name}"`)
    return `select json_object(${pairs.join(', ')}) as row from ${name}`
  })

async function sqliteColumns(kysely: Tables['kysely']): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select t.name as "table", c.name as name from sqlite_master as t, pragma_table_info(t.name) as c
    where t.type = 'table'`.execute(kysely)
  return rows
}
