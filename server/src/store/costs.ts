import { type Kysely, sql } from 'kysely'
import type { CostDimension } from '@tollgate/contract'
import type { HourSpan } from './hour-span.ts'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

const SOURCES = {
  model: { table: 'model_hours', column: 'model_name' },
  channel: { table: 'channel_hours', column: 'channel_id' },
  user: { table: 'user_hours', column: 'user_id' },
  group: { table: 'group_hours', column: 'group_name' },
} as const

const COLUMNS = ['requests', 'quota', 'provider_cost', 'costed_quota'] as const

/** What was charged and what it cost at providers, the highest charge first. */
export async function listCosts(
  db: Kysely<Schema>,
  { by, keys, hours }: { by: CostDimension; keys: readonly string[]; hours: HourSpan },
  limit: number,
) {
  const { table, column } = SOURCES[by]
  const { rows } = await sql<CostRow>`
    select ${key(column)} as key, ${sql.join(COLUMNS.map((name) => sumOf(name).as(name)))}
    from ${sql.table(table)}
    where hour >= ${hours.firstHour} and hour < ${hours.endHour}
      ${keys.length === 0 ? sql`` : sql`and ${key(column)} in (${sql.join(keys)})`}
    group by ${sql.ref(column)}
    order by sum(quota) desc, sum(provider_cost) desc, ${sql.ref(column)}
    limit ${limit}`.execute(db)
  return rows.map((row) => ({ by, ...row }))
}

type CostRow = { key: string } & Record<(typeof COLUMNS)[number], number>

const key = (column: string) => sql<string>`cast(${sql.ref(column)} as text)`
