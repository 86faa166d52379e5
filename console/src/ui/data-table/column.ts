import type { ReactNode } from 'react'
import type { MessageKey } from '../../i18n/types.ts'

/** Define columns at module level: their identity must be stable. */
export type Column<Row> = {
  id: string
  label: MessageKey
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** The quota that the cell shows. All amounts of the column get the same decimals. */
  amount?: (row: Row) => number
  /** The server sorts by the column's id. */
  sortable?: boolean
  /** `always` cannot be hidden. By default `wide` is hidden on phones and `optional` everywhere. */
  shown?: 'always' | 'wide' | 'optional'
  /** The text is truncated on narrow screens. */
  flexible?: true
  /** The text is as wide as its column, except on narrow screens. */
  fills?: true
  /**
   * Value in the CSV export, even for hidden columns. Columns without it, such as keys, are not
   * exported.
   */
  csv?: (row: Row) => string | number
}

/** A column of the CSV export. */
export type CsvColumn<Row> = Pick<Column<Row>, 'label' | 'csv'>

export type RowAction = {
  label: string
  onSelect: () => void
  danger?: boolean
  /** Reason the action is unavailable; the action is then visible but disabled. */
  reason?: string | null
}

export function hiddenByDefault<Row>(columns: readonly Column<Row>[], isPhone: boolean): string[] {
  return columns
    .filter(({ shown }) => shown === 'optional' || (isPhone && shown === 'wide'))
    .map(({ id }) => id)
}
