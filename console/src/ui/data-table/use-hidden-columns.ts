import { useMediaQuery } from '@mantine/hooks'
import type { TableSearch } from '../../lib/table-search.ts'
import { type Column, hiddenByDefault } from './column.ts'

export const useIsPhone = () =>
  useMediaQuery('(max-width: 599px)', false, { getInitialValueInEffect: false })

export function useHiddenColumns<Row>(columns: readonly Column<Row>[], search: TableSearch) {
  const isPhone = useIsPhone()
  return search.hidden ?? hiddenByDefault(columns, isPhone)
}
