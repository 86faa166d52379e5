import type { Compilable } from 'kysely'
import { bulkInsert } from '../../store/bulk.ts'
import type { Database } from '../../store/database.ts'
import { saturatingSum, saturatingSumSql } from './saturate.ts'

type Row = Record<string, number | string>

/** What to add to the row of a key. Amounts that the table has no column for are left out. */
export type Addition<Name extends string> = {
  readonly key: Readonly<Row>
  readonly amounts: Readonly<Partial<Record<Name, number>>>
}

/**
 * Adds to the rows of a table of sums by key. The additions of one transaction are summed first and
 * written in an order that is the same on every node.
 */
export function bulkAddition<Name extends string>(
  table: string,
  keyColumns: Readonly<Record<string, 'bigint' | 'text'>>,
  names: readonly Name[],
): (kind: Database['kind'], added: readonly Addition<Name>[]) => Compilable[] {
  const amountColumns = Object.fromEntries(names.map((name) => [name, 'bigint' as const]))
  const zeros = Object.fromEntries(names.map((name) => [name, 0]))
  const increments = names.map(
    (name) => `${name} = ${saturatingSumSql(`${table}.${name}`, `excluded.${name}`)}`,
  )
  const insert = bulkInsert(
    table,
    { ...keyColumns, ...amountColumns },
    `(${Object.keys(keyColumns).join(', ')}) do update set ${increments.join(', ')}`,
  )
  return (kind, added) => {
    const rows = new Map<string, Row>()
    for (const { key, amounts } of added) {
      const id = Object.values(key).join(' ')
      const row = rows.get(id) ?? { ...zeros, ...key }
      for (const name of names) {
        const amount = amounts[name] ?? 0
        // Most of some forty amounts are 0.
        if (amount !== 0) row[name] = saturatingSum(Number(row[name]), amount)
      }
      rows.set(id, row)
    }
    const sorted = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return insert(
      kind,
      sorted.map(([, row]) => row),
    )
  }
}
