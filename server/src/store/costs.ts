import { type Kysely, sql } from 'kysely'
import type { CostDimension } from '@tollgate/contract'
import type { HourSpan } from './hour-span.ts'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'
import { topUserIds } from './top-users.ts'

const SOURCES = {
  model: { table: 'model_hours', column: 'model_name' },
  channel: { table: 'channel_hours', column: 'channel_id' },
  user: { table: 'user_hours', column: 'user_id' },
  group: { table: 'group_hours', column: 'group_name' },
} as const

const COLUMNS = ['requests', 'quota', 'provider_cost', 'costed_quota'] as const

type Wanted = { by: CostDimension; keys: readonly string[]; hours: HourSpan }

/**
 * What was charged and what it cost at providers, the highest charge first. Users, who may be a
 * hundred thousand, are ranked first, and only those of the highest rank are summed.
 */
export async function listCosts(db: Kysely<Schema>, wanted: Wanted, limit: number) {
  const { by, hours } = wanted
  const { table, column } = SOURCES[by]
  const { rows } = await sql<CostRow>`
    select ${key(column)} as key, ${sql.join(COLUMNS.map((name) => sumOf(name).as(name)))}
    from ${sql.table(table)}
    where hour >= ${hours.firstHour} and hour < ${hours.endHour}
      and ${chosen(db, wanted, limit)}
    group by ${sql.ref(column)}
    order by sum(quota) desc, sum(provider_cost) desc, ${sql.ref(column)}
    limit ${limit}`.execute(db)
  return rows.map((row) => ({ by, ...row }))
}

function chosen(db: Kysely<Schema>, { by, keys, hours }: Wanted, limit: number) {
  if (keys.length === 0) {
    return by === 'user' ? sql`user_id in ${topUserIds(db, hours, limit)}` : sql`1 = 1`
  }
  const column = sql.ref(SOURCES[by].column)
  if (by === 'model' || by === 'group') return sql`${column} in (${sql.join(keys)})`
  const ids = keys.filter((text) => ID.test(text)).map(Number)
  // A comparison as text would not use the index of the ids.
  return ids.length === 0 ? sql`1 = 0` : sql`${column} in (${sql.join(ids)})`
}

const ID = /^[1-9]\d{0,8}$/

type CostRow = { key: string } & Record<(typeof COLUMNS)[number], number>

const key = (column: string) => sql<string>`cast(${sql.ref(column)} as text)`
