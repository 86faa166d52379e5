import { patiently } from './patiently.ts'
import type { SortOrder } from './table-search.ts'

/** So many rows are read at most, however many there are. */
export const ROWS_READ_MAX = 10_000
const ROWS_PER_CALL = 100

/** One page as a list call is asked for it; `before` is an id and stands instead of deep pages. */
export type ListPage = {
  p: number
  size: number
  sort: string | null
  order: SortOrder
  before?: number
}

export type Progress = {
  count: number
  /** While the server wants to be left alone. */
  waitSeconds: number | null
}

/** Reads all rows of the filter and order shown; rejects when `signal` aborts. */
export type ReadAll<Row> = (settings: {
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}) => Promise<Row[]>

type Source<Row> = {
  list: (page: ListPage, signal: AbortSignal) => Promise<{ data: Row[] }>
  sort: string | null
  order: SortOrder
}

/** What a table needs to save all its rows; newest first they are read by id, so that none shifts. */
export function readAllOf<Row extends { id: number }>(source: Source<Row>): ReadAll<Row> {
  const { list, sort, order } = source
  const isById = order === 'desc' && (sort === null || sort === 'id')
  return async ({ signal, onProgress }) => {
    const rows = new Map<number, Row>()
    for (let p = 0; p * ROWS_PER_CALL < ROWS_READ_MAX; p += 1) {
      const before = [...rows.keys()].at(-1)
      const place = isById ? { p: 0, ...(before !== undefined && { before }) } : { p }
      const { data } = await patiently(
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
