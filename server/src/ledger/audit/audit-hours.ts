import { type RawBuilder, sql } from 'kysely'

type Table = { name: string; where: RawBuilder<unknown>; key: string[] }

const COLUMNS = ['quota', 'requests', 'provider_cost', 'costed_quota'] as const

/** An hour that only one table has is compared with 0. */
const againstRollups = ({ name, where, key }: Table, column: (typeof COLUMNS)[number]) => {
  const keys = sql.join(key.map((part) => sql.ref(part)))
  const amount = sql.ref(column)
  return sql`
    select ${where} || ' in hour ' || hour as "where",
      ${sql.lit(`${name} against rollups: ${column}`)} as what,
      sum(found) as found, sum(expected) as expected
    from (
      select ${keys}, ${amount} as found, 0 as expected from ${sql.table(name)}
      union all
      select ${keys}, 0 as found, ${amount} as expected from rollups
    ) as both_sums
    group by ${keys} having sum(found) <> sum(expected)
    order by ${keys}`
}

const TABLES: Table[] = [
  { name: 'model_hours', where: sql`'model ' || model_name`, key: ['hour', 'model_name'] },
  { name: 'channel_hours', where: sql`'channel ' || channel_id`, key: ['hour', 'channel_id'] },
  {
    name: 'user_hours',
    where: sql`'user ' || user_id || ' with model ' || model_name`,
    key: ['hour', 'user_id', 'model_name'],
  },
]

/** Rollups have no group, so the groups of an hour are compared as a whole. */
const GROUPS: Table = { name: 'group_hours', where: sql`'all groups'`, key: ['hour'] }

export const COARSER_HOURS = [...TABLES, GROUPS].flatMap((table) =>
  COLUMNS.map((column) => againstRollups(table, column)),
)
