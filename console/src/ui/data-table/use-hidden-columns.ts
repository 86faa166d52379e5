import type { TableSearch } from '../../lib/table-search.ts'
import { useIsPhone } from '../use-is-phone.ts'
import { type Column, hiddenByDefault } from './column.ts'

export function useHiddenColumns<Row>(columns: readonly Column<Row>[], search: TableSearch) {
  const isPhone = useIsPhone()
  return search.hidden ?? hiddenByDefault(columns, isPhone)
}
