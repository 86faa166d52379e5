import {
  type ReactNode,
  type RefObject,
  startTransition,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { addTexts } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { TableSearch } from '../../lib/table-search.ts'
import type { BulkProgress } from '../../lib/use-bulk.ts'
import { useStored } from '../../lib/use-stored.ts'
import { ColumnAmounts } from '../column-amounts.tsx'
import { useIsPhone } from '../use-is-phone.ts'
import type { Column, CsvColumn, RowAction } from './column.ts'
import { CsvButton } from './csv-button.tsx'
import classes from './data-table.module.css'
import foot from './foot.module.css'
import { Pager } from './pager.tsx'
import { RestOfRow } from './rest-of-row.tsx'
import { type RowsState, withDrawnRows } from './rows-state.ts'
import { SelectionBar } from './selection-bar.tsx'
import { TableHead } from './table-head.tsx'
import { TableRow } from './table-row.tsx'
import { NoRows, SkeletonRows } from './table-states.tsx'
import { tableMessages } from './table.messages.ts'
import { HEADER_PX, useFrame } from './use-frame.ts'
import { useHiddenColumns } from './use-hidden-columns.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { useLatest } from './use-latest.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useSelection } from './use-selection.ts'

addTexts('table', tableMessages)

type Props<Row extends object> = {
  label: string
  columns: readonly Column<Row>[]
  /** Further columns of the CSV export. */
  csvColumns?: readonly CsvColumn<Row>[]
  state: RowsState<Row>
  search: TableSearch
  onSearch: (change: Partial<TableSearch>) => void
  rowId: (row: Row) => string
  /** Accessible name of the row. */
  rowName: (row: Row) => string
  actions?: (row: Row) => RowAction[]
  /** Actions on several rows; run by `useBulk`. */
  bulk?: { actions: (rows: readonly Row[]) => RowAction[]; progress: BulkProgress | null }
  onOpen?: (row: Row) => void
  /** Content that opens below a row on Enter or click. Defaults to the hidden columns on phones. */
  detail?: (row: Row) => ReactNode
  isFiltered: boolean
  /** Filters besides the keyword. A change clears the selection. */
  filterKey?: string
  onClearFilters: () => void
  empty: ReactNode
}

const NO_ROWS: never[] = []

/** The console's only table: URL state, sticky head, keyboard navigation and all loading states. */
export function DataTable<Row extends object>(props: Props<Row>) {
  return (
    <ColumnAmounts columns={props.columns} rows={props.state.rows ?? NO_ROWS}>
      <Table {...props} />
    </ColumnAmounts>
  )
}

function Table<Row extends object>(props: Props<Row>) {
  const { label, search, onSearch, rowId, rowName, actions, bulk, onOpen } = props
  const state = useSlicedRows(props.state)
  const isLoading = state.rows === undefined && state.error === null
  const { t } = useTranslation()
  const [density] = useStored('density')
  const rows = state.rows ?? NO_ROWS
  const drawnCount = useDrawnCount(rows.length)
  const ids = rows.map(rowId)
  const { visible, detail } = useShown(props)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggleDetail = (id: string) => setOpened((current) => withToggled(current, id))

  const { p, size, keyword, sort, order } = search
  const scope = [p, size, sort, order, props.filterKey, keyword].join(' ')
  const selection = useSelection({ ids, scope })
  const openRow = (index: number) => {
    const row = rows[index]
    if (!row) return
    if (detail) toggleDetail(rowId(row))
    else onOpen?.(row)
  }
  const opensOnClick = onOpen !== undefined || detail !== undefined
  const keys = useRowKeys({
    ...(opensOnClick && { onOpen: openRow }),
    ...(bulk && {
      onSelect: (index: number, isRange: boolean) => {
        const id = ids[index]
        if (id !== undefined) selection.toggle(id, isRange)
      },
      onEscape: selection.clear,
    }),
  })
  const frame = useFrame()
  const keptFocus = useKeptFocus({ frame, active: keys.active })
  useTopOfPage(frame, p)
  const latest = useLatest({ actions, toggleDetail, select: selection.toggle })
  const selected = rows.filter((row) => selection.selected.has(rowId(row)))
  const columnCount = visible.length + (bulk ? 1 : 0) + (actions || detail ? 1 : 0)

  return (
    <div {...keptFocus}>
      <div
        ref={frame}
        className={classes['frame']}
        role="region"
        aria-label={t('common.table.scroll')}
        aria-busy={state.isStale || isLoading}
        data-page-loading={isLoading || undefined}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable
        tabIndex={rows.length === 0 ? 0 : undefined}
        data-density={density === 'compact' ? 'compact' : 'normal'}
        data-stale={state.isStale || undefined}
      >
        <table className={classes['table']} aria-label={label}>
          <TableHead
            columns={visible}
            search={search}
            onSearch={onSearch}
            {...(bulk && {
              selection: {
                isAll: selected.length === rows.length && rows.length > 0,
                isSome: selected.length > 0,
                onToggle: selection.toggleAll,
              },
            })}
            last={actions ? 'actions' : detail ? 'detail' : null}
          />
          <tbody {...keys.body}>
            {isLoading && <SkeletonRows columnCount={columnCount} />}
            {state.error === null &&
              rows.slice(0, drawnCount).map((row, index) => {
                const id = rowId(row)
                return (
                  <TableRow
                    key={id}
                    id={id}
                    row={row}
                    name={rowName(row)}
                    columns={visible}
                    isActive={index === Math.min(keys.active, rows.length - 1)}
                    opensOnClick={opensOnClick}
                    isSelected={bulk ? selection.selected.has(id) : null}
                    isOpen={detail ? opened.has(id) : null}
                    hasMenu={actions !== undefined}
                    latest={latest}
                    columnCount={columnCount}
                    detail={detail && opened.has(id) ? detail(row) : null}
                  />
                )
              })}
          </tbody>
        </table>
        <NoRows
          state={state}
          isFiltered={props.isFiltered}
          isBeyondEnd={p > 0}
          onFirstPage={() => onSearch({ p: 0 })}
          onClearFilters={props.onClearFilters}
          empty={props.empty}
        />
      </div>
      <div className={foot['foot']}>
        {rows.length > 0 && (
          <Pager search={search} state={state} onChange={onSearch}>
            <CsvButton label={label} columns={savedOf(props)} state={state} />
          </Pager>
        )}
        {bulk && selected.length > 0 && (
          <SelectionBar
            count={selected.length}
            actions={bulk.actions(selected)}
            progress={bulk.progress}
            onClear={selection.clear}
          />
        )}
      </div>
    </div>
  )
}

const savedOf = <Row extends object>({ columns, csvColumns = [] }: Props<Row>) => [
  ...columns,
  ...csvColumns,
]

/** React renders deferred rows in short slices, so that the page answers while they are drawn. */
function useSlicedRows<Row>(state: RowsState<Row>): RowsState<Row> {
  return withDrawnRows(state, useDeferredValue(state.rows))
}

/**
 * The height of the smallest rows, which data-table.module.css has too, and the least height of the
 * rest of a window: the frame's header, a title, a line of filters and the table's head. A phone
 * has a bar at the bottom as well.
 */
const SIZES = { window: { row: 30, rest: 180 }, phone: { row: 44, rest: 260 } } as const

/** How many rows to draw: at first those that the window shows, then all. */
function useDrawnCount(count: number): number {
  const [isWhole, setIsWhole] = useState(false)
  const { row, rest } = SIZES[useIsPhone() ? 'phone' : 'window']
  const isAny = count > 0
  useEffect(() => {
    if (isAny) startTransition(() => setIsWhole(true))
  }, [isAny])
  return isWhole ? count : Math.max(1, Math.ceil((window.screen.height - rest) / row))
}

function useShown<Row extends object>({ columns, search, detail }: Props<Row>) {
  const isPhone = useIsPhone()
  const hidden = useHiddenColumns(columns, search)
  const key = hidden.join()
  // Memoized, because changed columns re-render every row.
  const [visible, rest] = useMemo(() => {
    const isHidden = new Set(key.split(','))
    return [
      columns.filter(({ id }) => !isHidden.has(id)),
      columns.filter(({ id }) => isHidden.has(id)),
    ]
  }, [columns, key])
  const showRest = (row: Row) => <RestOfRow row={row} columns={rest} />
  return { visible, detail: detail ?? (isPhone && rest.length > 0 ? showRest : undefined) }
}

function useTopOfPage(frame: RefObject<HTMLElement | null>, page: number) {
  const shown = useRef(page)
  useEffect(() => {
    // A new table is at its top, and to scroll it would lay out the whole page once more.
    if (shown.current === page) return
    shown.current = page
    if (!frame.current) return
    frame.current.scrollTop = 0
    // In low windows the page scrolls.
    const { top } = frame.current.getBoundingClientRect()
    if (top < 0) window.scrollBy(0, top - HEADER_PX)
  }, [frame, page])
}

function withToggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
