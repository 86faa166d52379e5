import type { Row } from '../../../other-gateways/row.ts'

export function tablesOf(columns: readonly Row[]): Map<string, Set<string>> {
  const tables = new Map<string, Set<string>>()
  for (const { table, column } of columns) {
    const known = tables.get(String(table)) ?? new Set()
    tables.set(String(table), known.add(String(column)))
  }
  return tables
}
