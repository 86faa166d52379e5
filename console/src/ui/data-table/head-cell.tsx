import { ArrowDown, ArrowUp } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { Column } from './column.ts'
import classes from './data-table.module.css'

type Props<Row> = { column: Column<Row>; sorted: 'asc' | 'desc' | false; onSort: () => void }

const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const

export function HeadCell<Row>({ column, sorted, onSort }: Props<Row>) {
  const { t } = useTranslation()
  const { label, align, flexible, fills, sortable = false } = column
  const Arrow = sorted === 'asc' ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      data-align={align}
      data-flexible={flexible}
      data-fills={fills}
      {...(sortable && { 'aria-sort': sorted === false ? ('none' as const) : ARIA_SORT[sorted] })}
    >
      {sortable ? (
        <button type="button" className={classes['sort']} onClick={onSort}>
          {t(label)}
          <Arrow size={12} aria-hidden data-shown={sorted !== false || undefined} />
        </button>
      ) : (
        t(label)
      )}
    </th>
  )
}
