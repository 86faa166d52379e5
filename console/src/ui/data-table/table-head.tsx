import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { nextSort, type TableSearch } from '../../lib/table-search.ts'
import type { Column } from './column.ts'
import classes from './data-table.module.css'
import { HeadCell } from './head-cell.tsx'

type Props<Row> = {
  columns: readonly Column<Row>[]
  search: TableSearch
  onSearch: (change: Partial<TableSearch>) => void
  selection?: { isAll: boolean; isSome: boolean; onToggle: () => void }
  last: 'actions' | 'detail' | null
}

export function TableHead<Row>({ columns, search, onSearch, selection, last }: Props<Row>) {
  const { t } = useTranslation()
  return (
    <thead>
      <tr>
        {selection && (
          <th scope="col" className={classes['select']}>
            <label>
              <input
                type="checkbox"
                aria-label={t('table.select.all')}
                title={t('table.select.all')}
                checked={selection.isAll}
                ref={(box) => {
                  if (box) box.indeterminate = selection.isSome && !selection.isAll
                }}
                onChange={selection.onToggle}
              />
            </label>
          </th>
        )}
        {columns.map((column) => (
          <HeadCell
            key={column.id}
            column={column}
            sorted={search.sort === column.id && search.order}
            onSort={() => onSearch(nextSort(search, column.id))}
          />
        ))}
        {last !== null && (
          <th scope="col" className={classes['menu']}>
            <VisuallyHidden>{t(`common.table.${last}`)}</VisuallyHidden>
          </th>
        )}
      </tr>
    </thead>
  )
}
