import { retryAfterWait } from './retry-after-wait.ts'
import type { SortOrder } from './table-search.ts'

/** Maximum number of rows that an export reads page by page. */
const ROWS_READ_MAX = 10_000
const ROWS_PER_CALL = 100

/** Parameters of one list call. `before` is a row id and replaces deep page numbers. */
export type ListPage = {
  p: number
  size: number
  sort: string | null
  order: SortOrder
  before?: number
}

/** Reads all rows in the current filter and order. Rejects when `signal` aborts. */
export type ReadAll<Row> = (settings: {
  signal: AbortSignal
  onRows: (rows: readonly Row[]) => void
  /** The server is busy for this time. */
  onWait: (seconds: number) => void
}) => Promise<{
  /** More rows may exist than were read. */
  isCut: boolean
}>

type Source<Row> = {
  list: (page: ListPage, signal: AbortSignal) => Promise<{ data: Row[] }>
  sort: string | null
  order: SortOrder
}

/**
 * Reads all rows of a table for export. Newest-first lists are read by id, so that new rows do not
 * shift the pages.
 */
export function readAllOf<Row extends { id: number }>(source: Source<Row>): ReadAll<Row> {
  const { list, sort, order } = source
  const isById = order === 'desc' && (sort === null || sort === 'id')
  return async ({ signal, onRows, onWait }) => {
    const seen = new Set<number>()
    for (let p = 0; p * ROWS_PER_CALL < ROWS_READ_MAX; p += 1) {
      const before = [...seen].at(-1)
      const place = isById ? { p: 0, ...(before !== undefined && { before }) } : { p }
      const { data } = await retryAfterWait(
        () => list({ ...place, size: ROWS_PER_CALL, sort, order }, signal),
        { signal, onWait },
      )
      onRows(data.filter(({ id }) => !seen.has(id)))
      for (const { id } of data) seen.add(id)
      if (data.length < ROWS_PER_CALL) return { isCut: false }
    }
    return { isCut: true }
  }
}
