import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Log, logEndpoints } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/setup.ts'
import { call } from '../../lib/api.ts'
import { type ListPage, readAllOf } from '../../lib/read-all.ts'
import { errorText } from '../../lib/report-error.ts'
import type { TableSearch } from '../../lib/table-search.ts'
import type { RowsState } from '../../ui/data-table/rows-state.ts'
import { filterQuery, type LogFilter } from './log-search.ts'

type Asked = { isAdmin: boolean; filter: LogFilter }

/** Taken when a call is made: a page that was left open all day must not hide the rows since. */
const nowSeconds = () => Math.floor(Date.now() / 1000)

export function useLogs(search: TableSearch, asked: Asked): RowsState<Log> {
  const { p, size, order } = search
  const list = (page: ListPage, signal: AbortSignal) => listLogs(asked, page, signal)
  const result = useQuery({
    queryKey: ['logs', 'list', { ...asked, p, size, order, language: currentLanguage() }],
    queryFn: ({ signal }) => list({ p, size, order, sort: 'id' }, signal),
    placeholderData: keepPreviousData,
  })
  return {
    rows: result.data?.data,
    total: result.data?.total ?? null,
    error: result.error && errorText(result.error),
    isStale: result.isPlaceholderData,
    retry: () => void result.refetch(),
    readAll: readAllOf({ list, sort: 'id', order }),
  }
}

async function listLogs({ isAdmin, filter }: Asked, page: ListPage, signal: AbortSignal) {
  const query = { ...filterQuery(filter, nowSeconds()), ...page, sort: 'id' as const }
  const { data, total } = isAdmin
    ? await call(logEndpoints.listLogs, { query }, signal)
    : await call(logEndpoints.listOwnLogs, { query: own(query) }, signal)
  return { data, total }
}

/** What was consumed with the same filters. */
export function useLogSum({ isAdmin, filter }: Asked): number | undefined {
  const result = useQuery({
    queryKey: ['logs', 'sum', { isAdmin, filter }],
    queryFn: async ({ signal }) => {
      const query = filterQuery(filter, nowSeconds())
      if (isAdmin) return (await call(logEndpoints.sumLogs, { query }, signal)).data.quota
      return (await call(logEndpoints.sumOwnLogs, { query: own(query) }, signal)).data.quota
    },
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
  return result.data
}

/** Reads the rows and their sum anew. */
export function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: ['logs'] })
}

/** A row never changes, and neither does its receipt, but for the language of what it says. */
export const useReceipt = (id: number) =>
  useQuery({
    queryKey: ['receipt', id, currentLanguage()],
    queryFn: async ({ signal }) =>
      (await call(logEndpoints.getReceipt, { params: { id } }, signal)).data,
    staleTime: Infinity,
    // The row says it itself, and offers to try again.
    meta: { quiet: true },
  })

type Query = ReturnType<typeof filterQuery>

/** A user's own rows are not filtered by user or channel. */
const own = <Wanted extends Query>(query: Wanted) => ({
  ...query,
  username: undefined,
  channel: undefined,
})
