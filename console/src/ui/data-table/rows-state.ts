import type { Total } from '../../lib/call.ts'
import type { ReadAll } from '../../lib/read-all.ts'

/** How the rows came; `rows` is undefined until the first answer. */
export type RowsState<Row> = {
  rows: readonly Row[] | undefined
  total: Total | null
  error: string | null
  /** Whether the rows shown are those of an earlier question. */
  isStale: boolean
  retry: () => void
  /** Offers the CSV download: `useList` gives it, other lists take it from `readAllOf`. */
  readAll?: ReadAll<Row>
  /** Whether there may be more than can be read: a search finds so many rows and no more. */
  isCut?: boolean
}
