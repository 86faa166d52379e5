import { ChevronDown, ChevronRight } from 'lucide-react'
import { memo, type ReactNode, type RefObject } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { IconButton } from '../icon-button.tsx'
import type { Column, RowAction } from './column.ts'
import classes from './data-table.module.css'
import { RowMenu } from './row-menu.tsx'

type Props<Row> = {
  id: string
  row: Row
  name: string
  columns: readonly Column<Row>[]
  isActive: boolean
  opensOnClick: boolean
  /** Null if rows cannot be selected. */
  isSelected: boolean | null
  /** Null if rows do not open. */
  isOpen: boolean | null
  hasMenu: boolean
  latest: RefObject<{
    actions: ((row: Row) => RowAction[]) | undefined
    toggleDetail: (id: string) => void
    select: (id: string, isRange: boolean) => void
  }>
  columnCount: number
  detail: ReactNode
}

function Row<Row>(props: Props<Row>) {
  const { id, row, name, columns, isSelected, isOpen, hasMenu, latest } = props
  const { t } = useTranslation()
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <>
      <tr
        data-row
        data-clickable={props.opensOnClick || undefined}
        data-open={isOpen || undefined}
        data-selected={isSelected || undefined}
        tabIndex={props.isActive ? 0 : -1}
      >
        {isSelected !== null && (
          <td className={classes['select']}>
            <label>
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={t('table.select.row', { name })}
                checked={isSelected}
                onChange={({ nativeEvent }) =>
                  latest.current.select(
                    id,
                    nativeEvent instanceof MouseEvent && nativeEvent.shiftKey,
                  )
                }
              />
            </label>
          </td>
        )}
        {columns.map(({ id: column, cell, align, flexible, fills }) => (
          <td key={column} data-align={align} data-flexible={flexible} data-fills={fills}>
            {cell(row)}
          </td>
        ))}
        {(hasMenu || isOpen !== null) && (
          <td className={classes['menu']}>
            {isOpen !== null && (
              <IconButton
                onClick={() => latest.current.toggleDetail(id)}
                aria-expanded={isOpen}
                aria-label={t('common.table.open', { name })}
              >
                <Chevron size={16} aria-hidden />
              </IconButton>
            )}
            {hasMenu && <RowMenu name={name} actions={() => latest.current.actions?.(row) ?? []} />}
          </td>
        )}
      </tr>
      {isOpen && (
        <tr className={classes['detail']}>
          <td colSpan={props.columnCount}>{props.detail}</td>
        </tr>
      )}
    </>
  )
}

/** Memoized, because a page may have a hundred rows. */
// Safe because memo keeps the signature of what it wraps; only its type forgets the parameter.
export const TableRow = memo(Row) as typeof Row
