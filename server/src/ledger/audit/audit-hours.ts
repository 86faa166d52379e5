import { type RawBuilder, sql } from 'kysely'

type Table = { name: string; where: RawBuilder<unknown>; key: string[] }

const COLUMNS = ['quota', 'requests', 'provider_cost', 'costed_quota'] as const

type Books = {
  /** Text of the place, made of the key. */
  readonly where: RawBuilder<unknown>
  readonly what: string
  readonly key: readonly string[]
  readonly columns: readonly string[]
  /** Each must have the key and the columns. */
  readonly found: RawBuilder<unknown>
  readonly expected: RawBuilder<unknown>
}

/** Sums of two books by a key. A key that only one book has is compared with 0. */
export function againstEachOther({ where, what, key, columns, found, expected }: Books) {
  const keys = sql.join(key.map((part) => sql.ref(part)))
  const f = columns.map((column) => sql.ref(`${column}_found`))
  const e = columns.map((column) => sql.ref(`${column}_expected`))
  const listed = (make: (column: RawBuilder<unknown>, index: number) => RawBuilder<unknown>) =>
    sql.join(columns.map((column, index) => make(sql.ref(column), index)))
  const differs = (index: number) => sql`${f[index]} <> ${e[index]}`
  const sums = (names: readonly unknown[]) => sql.join(names.map((n) => sql`sum(${n}) as ${n}`))
  const differences = columns.map(
    (column, index) => sql`select ${where} as "where", ${sql.lit(`${what}: ${column}`)} as what,
      ${f[index]} as found, ${e[index]} as expected from sums where ${differs(index)}`,
  )
  return sql`
    with sums as materialized (
      select * from (
        select ${keys}, ${sums([...f, ...e])} from (
          select ${keys}, ${listed((c, i) => sql`${c} as ${f[i]}, 0 as ${e[i]}`)}
          from (${found}) as found_book
          union all
          select ${keys}, ${listed((c, i) => sql`0 as ${f[i]}, ${c} as ${e[i]}`)}
          from (${expected}) as expected_book
        ) as both_books group by ${keys}
      ) as summed where ${sql.join(
        columns.map((_, index) => differs(index)),
        sql` or `,
      )}
    ) ${sql.join(differences, sql` union all `)} order by 2, 1`
}

const ROLLUPS = sql`select * from rollups`

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

export const COARSER_HOURS = [...TABLES, GROUPS].map(({ name, where, key }) =>
  againstEachOther({
    where: sql`${where} || ' in hour ' || hour`,
    what: `${name} against rollups`,
    key,
    columns: COLUMNS,
    found: sql`select * from ${sql.table(name)}`,
    expected: ROLLUPS,
  }),
)
