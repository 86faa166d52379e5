import type { Total } from '../../lib/call.ts'
import type { ReadAll } from '../../lib/read-all.ts'

/** Loading state of a list; `rows` is undefined until the first answer. */
export type RowsState<Row> = {
  rows: readonly Row[] | undefined
  total: Total | null
  error: string | null
  /** True while the rows shown belong to a previous query. */
  isStale: boolean
  retry: () => void
  /** Enables the CSV export. Provided by `useList`; other lists use `readAllOf`. */
  readAll?: ReadAll<Row>
  /** True when more rows may exist than can be read, because searches return a limited number. */
  isCut?: boolean
}

/** The state with the rows that are drawn; earlier rows are stale until the current rows are. */
export function withDrawnRows<Row>(
  state: RowsState<Row>,
  rows: readonly Row[] | undefined,
): RowsState<Row> {
  if (rows === state.rows) return state
  return { ...state, rows, isStale: state.isStale || rows !== undefined }
}
