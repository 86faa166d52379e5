import type { ReactNode } from 'react'
import type { MessageKey } from '../../i18n/types.ts'

/** One column, written at module level of its page. */
export type Column<Row> = {
  id: string
  label: MessageKey
  cell: (row: Row) => ReactNode
  /** Numbers stand on the right. */
  align?: 'right'
  /** The server sorts by the column's id. */
  sortable?: boolean
  /** `always` cannot be hidden; `wide` is hidden on phones and `optional` everywhere, until chosen. */
  shown?: 'always' | 'wide' | 'optional'
  /** Gives way where the screen is narrow: its text is cut. */
  flexible?: true
  /** What stands in the table's CSV file, hidden or not; columns without it are left out, as keys are. */
  csv?: (row: Row) => string | number
}

export type RowAction = {
  label: string
  onSelect: () => void
  danger?: boolean
  /** Why it cannot be done now; the action is then shown but does nothing. */
  reason?: string | null
}

/** The columns hidden before the reader has chosen. */
export function hiddenByDefault<Row>(columns: readonly Column<Row>[], isPhone: boolean): string[] {
  return columns
    .filter(({ shown }) => shown === 'optional' || (isPhone && shown === 'wide'))
    .map(({ id }) => id)
}
