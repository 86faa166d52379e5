import { type RawBuilder, sql } from 'kysely'

type Table = { name: string; where: RawBuilder<unknown>; key: string[] }

/** An hour that only one table has is compared with 0. */
const againstRollups = ({ name, where, key }: Table, column: 'quota' | 'requests') => {
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

export const COARSER_HOURS = TABLES.flatMap((table) => [
  againstRollups(table, 'quota'),
  againstRollups(table, 'requests'),
])
