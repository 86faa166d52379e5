import { keepPreviousData } from '@tanstack/react-query'
import { useMemo } from 'react'
import { SEARCH_ROWS_MAX } from '@tollgate/contract'
import type { Total } from './call.ts'
import { type ListPage, readAllOf, type ReadAll } from './read-all.ts'
import { errorText } from './report-error.ts'
import { pageOf, type TableSearch } from './table-search.ts'
import { useEarlyQuery } from './use-early-query.ts'

type Rows<Row> = { data: Row[]; total: Total | null }

type Settings<Row> = {
  key: readonly unknown[]
  search: TableSearch
  list: (page: ListPage, signal: AbortSignal) => Promise<Rows<Row>>
  /**
   * Search results are unpaged; sorting and paging happen here. Absent if `list` searches for the
   * keyword of the key.
   */
  find?: (keyword: string, signal: AbortSignal) => Promise<Rows<Row>>
  sortValue?: (row: Row, column: string) => string | number | boolean | undefined
}

/** The page of the list, or what is found. */
export function listQuery<Row>({ key, search, list, find }: Settings<Row>) {
  const { keyword, p, size, sort, order } = search
  const isSearch = find !== undefined && keyword !== ''
  return {
    queryKey: [...key, 'list', isSearch ? { keyword } : { p, size, sort, order }],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      isSearch ? find(keyword, signal) : list({ p, size, sort, order }, signal),
  }
}

const UNSORTED = () => undefined

export function useList<Row extends { id: number }>(settings: Settings<Row>) {
  const { search, list, find, sortValue = UNSORTED } = settings
  const { keyword, p, size, sort, order } = search
  const isSearch = find !== undefined && keyword !== ''
  const query = useEarlyQuery({ ...listQuery(settings), placeholderData: keepPreviousData })
  const { data, error } = query
  const rows = useMemo(
    () => (isSearch && data ? pageOf(data.data, { p, size, sort, order }, sortValue) : data?.data),
    [isSearch, data, p, size, sort, order, sortValue],
  )
  const total = isSearch && data ? { count: data.data.length, more: false } : (data?.total ?? null)
  const readFound: ReadAll<Row> = async ({ signal, onRows }) => {
    const { data: all } = find ? await find(keyword, signal) : { data: [] }
    onRows(pageOf(all, { p: 0, size: all.length, sort, order }, sortValue))
    return { isCut: all.length === SEARCH_ROWS_MAX }
  }
  return {
    rows,
    total,
    error: error === null ? null : errorText(error),
    isStale: query.isPlaceholderData,
    retry: () => void query.refetch(),
    isCut: isSearch && data?.data.length === SEARCH_ROWS_MAX,
    readAll: isSearch ? readFound : readAllOf({ list, sort, order }),
  }
}
