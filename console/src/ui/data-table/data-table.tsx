import { VisuallyHidden } from '@mantine/core'
import {
  columnVisibilityFeature,
  createColumnHelper,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addTexts } from '../../i18n/setup.ts'
import { nextSort, type TableSearch } from '../../lib/table-search.ts'
import { useStored } from '../../lib/use-stored.ts'
import type { Column, RowAction } from './column.ts'
import { CsvButton } from './csv-button.tsx'
import classes from './data-table.module.css'
import { HeadCell } from './head-cell.tsx'
import { Pager } from './pager.tsx'
import { RowMenu } from './row-menu.tsx'
import type { RowsState } from './rows-state.ts'
import { TableRow } from './table-row.tsx'
import { NoRows, SkeletonRows } from './table-states.tsx'
import { tableMessages } from './table.messages.ts'
import { useHiddenColumns } from './use-hidden-columns.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { useRowKeys } from './use-row-keys.ts'

addTexts('table', tableMessages)

const features = tableFeatures({ columnVisibilityFeature, rowSortingFeature })

type Props<Row extends object> = {
  label: string
  columns: readonly Column<Row>[]
  state: RowsState<Row>
  search: TableSearch
  onSearch: (change: Partial<TableSearch>) => void
  rowId: (row: Row) => string
  /** What a screen reader calls the row. */
  rowName: (row: Row) => string
  actions?: (row: Row) => RowAction[]
  onOpen?: (row: Row) => void
  /** What opens below a row on Enter or a click. */
  detail?: (row: Row) => ReactNode
  isFiltered: boolean
  onClearFilters: () => void
  empty: ReactNode
}

const NO_ROWS: never[] = []

/** The one table of the console: state in the address, sticky head, keyboard, every state of loading. */
export function DataTable<Row extends object>(props: Props<Row>) {
  const { columns, state, search, onSearch, rowId, rowName, actions, onOpen, detail } = props
  const { t } = useTranslation()
  const [density] = useStored('density')
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const hidden = useHiddenColumns(columns, search)
  const rows = state.rows ?? NO_ROWS
  const definitions = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>()
    return columns.map(({ id, cell }) =>
      helper.display({ id, cell: (context) => cell(context.row.original) }),
    )
  }, [columns])
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
    manualSorting: true,
    state: {
      sorting: search.sort === null ? [] : [{ id: search.sort, desc: search.order === 'desc' }],
      columnVisibility: Object.fromEntries(hidden.map((id) => [id, false])),
    },
  })
  const toggleDetail = (id: string) => setOpened((current) => withToggled(current, id))
  const openRow = (index: number) => {
    const row = rows[index]
    if (!row) return
    if (detail) toggleDetail(rowId(row))
    else onOpen?.(row)
  }
  const keys = useRowKeys(onOpen || detail ? openRow : undefined)
  const keptFocus = useKeptFocus(state.rows, keys.active)
  const visible = columns.filter(({ id }) => !hidden.includes(id))
  const columnCount = visible.length + (actions || detail ? 1 : 0)
  return (
    <>
      <div
        {...keptFocus}
        className={classes['frame']}
        role="region"
        aria-label={t('common.table.scroll')}
        aria-busy={state.isStale || (state.rows === undefined && state.error === null)}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable
        tabIndex={rows.length === 0 ? 0 : undefined}
        data-density={density === 'compact' ? 'compact' : 'normal'}
        data-stale={state.isStale || undefined}
      >
        <table className={classes['table']} aria-label={props.label}>
          <thead>
            <tr>
              {visible.map((column) => (
                <HeadCell
                  key={column.id}
                  column={column}
                  sorted={table.getColumn(column.id)?.getIsSorted() ?? false}
                  onSort={() => onSearch(nextSort(search, column.id))}
                />
              ))}
              {(actions || detail) && (
                <th scope="col" className={classes['menu']}>
                  <VisuallyHidden>
                    {t(actions ? 'common.table.actions' : 'common.table.detail')}
                  </VisuallyHidden>
                </th>
              )}
            </tr>
          </thead>
          <tbody {...keys.body}>
            {state.rows === undefined && state.error === null && (
              <SkeletonRows columnCount={columnCount} />
            )}
            {state.error === null &&
              table.getRowModel().rows.map((row, index) => (
                <TableRow
                  key={row.id}
                  name={rowName(row.original)}
                  isActive={index === Math.min(keys.active, rows.length - 1)}
                  opensOnClick={onOpen !== undefined || detail !== undefined}
                  columnCount={columnCount}
                  detail={detail && opened.has(row.id) ? detail(row.original) : null}
                  isOpen={opened.has(row.id)}
                  {...(detail && { onToggle: () => toggleDetail(row.id) })}
                  menu={
                    actions && (
                      <RowMenu name={rowName(row.original)} actions={actions(row.original)} />
                    )
                  }
                  cells={row.getVisibleCells().map((cell) => ({
                    id: cell.column.id,
                    content: <table.FlexRender cell={cell} />,
                    isNumber: visible.find(({ id }) => id === cell.column.id)?.align === 'right',
                  }))}
                />
              ))}
          </tbody>
        </table>
        <NoRows
          state={state}
          isFiltered={props.isFiltered}
          isBeyondEnd={search.p > 0}
          onFirstPage={() => onSearch({ p: 0 })}
          onClearFilters={props.onClearFilters}
          empty={props.empty}
        />
      </div>
      {rows.length > 0 && (
        <Pager search={search} total={state.total} rowCount={rows.length} onChange={onSearch}>
          {state.readAll && columns.some(({ csv }) => csv) && (
            <CsvButton label={props.label} columns={columns} readAll={state.readAll} />
          )}
        </Pager>
      )}
    </>
  )
}

function withToggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
