import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

type Values =
  | { readonly type: 'bigint'; readonly values: readonly number[] }
  | { readonly type: 'text'; readonly values: readonly string[] }

/** Whether the column has one of the values. The SQL text is independent of their number. */
export function isInList(
  kind: Database['kind'],
  column: string,
  { type, values }: Values,
): RawBuilder<boolean> {
  const of = sql.ref(column)
  if (kind === 'sqlite')
    return sql`${of} in (select value from json_each(${JSON.stringify(values)}))`
  return sql`${of} = any(${values}::${sql.raw(type)}[])`
}
