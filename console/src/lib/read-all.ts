import { retryAfterWait } from './retry-after-wait.ts'
import type { SortOrder } from './table-search.ts'

/** Maximum number of rows read for one export. */
export const ROWS_READ_MAX = 10_000
const ROWS_PER_CALL = 100

/** Parameters of one list call. `before` is a row id and replaces deep page numbers. */
export type ListPage = {
  p: number
  size: number
  sort: string | null
  order: SortOrder
  before?: number
}

export type Progress = {
  count: number
  /** Remaining rate-limit wait in seconds; null while reading. */
  waitSeconds: number | null
}

/** Reads all rows in the current filter and order. Rejects when `signal` aborts. */
export type ReadAll<Row> = (settings: {
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}) => Promise<Row[]>

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
  return async ({ signal, onProgress }) => {
    const rows = new Map<number, Row>()
    for (let p = 0; p * ROWS_PER_CALL < ROWS_READ_MAX; p += 1) {
      const before = [...rows.keys()].at(-1)
      const place = isById ? { p: 0, ...(before !== undefined && { before }) } : { p }
      const { data } = await retryAfterWait(
        () => list({ ...place, size: ROWS_PER_CALL, sort, order }, signal),
        { signal, onWait: (waitSeconds) => onProgress({ count: rows.size, waitSeconds }) },
      )
      for (const row of data) rows.set(row.id, row)
      onProgress({ count: rows.size, waitSeconds: null })
      if (data.length < ROWS_PER_CALL) break
    }
    return [...rows.values()]
  }
}
