import type { Compilable } from 'kysely'
import { bulkInsertValues } from '../../store/bulk.ts'
import type { StoredValue } from '../../store/compiled-batch.ts'
import type { Database } from '../../store/database.ts'
import { saturatingSum, saturatingSumSql } from './saturate.ts'

/** What to add to the row of a key. Amounts that the table has no column for are left out. */
export type Addition<Name extends string> = {
  readonly key: Readonly<Record<string, number | string>>
  readonly amounts: Readonly<Partial<Record<Name, number>>>
}

/** No stored text contains it. */
const SEPARATOR = '\0'

/**
 * Adds to the rows of a table of sums by key. The additions of one transaction are summed first and
 * written in an order that is the same on every node.
 */
export function bulkAddition<Name extends string>(
  table: string,
  keyColumns: Readonly<Record<string, 'bigint' | 'text'>>,
  names: readonly Name[],
): (kind: Database['kind'], added: readonly Addition<Name>[]) => Compilable[] {
  const keys = Object.keys(keyColumns)
  const amountColumns = Object.fromEntries(names.map((name) => [name, 'bigint' as const]))
  const zeros = names.map(() => 0)
  const places = new Map<string, number>(names.map((name, index) => [name, keys.length + index]))
  const increments = names.map(
    (name) => `${name} = ${saturatingSumSql(`${table}.${name}`, `excluded.${name}`)}`,
  )
  const insert = bulkInsertValues(
    table,
    { ...keyColumns, ...amountColumns },
    `(${keys.join(', ')}) do update set ${increments.join(', ')}`,
  )
  return (kind, added) => {
    const rows = new Map<string, StoredValue[]>()
    for (const { key, amounts } of added) {
      const values = Object.values(key)
      const id = values.join(SEPARATOR)
      const row = rows.get(id) ?? [...values, ...zeros]
      rows.set(id, row)
      // Most of some forty amounts are absent.
      for (const name in amounts) {
        const place = places.get(name)
        if (place !== undefined) row[place] = saturatingSum(Number(row[place]), amounts[name] ?? 0)
      }
    }
    const ids = [...rows.keys()].sort()
    return insert(
      kind,
      ids.map((id) => rows.get(id) ?? []),
    )
  }
}
