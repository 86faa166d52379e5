import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Log, logEndpoints } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/setup.ts'
import { call } from '../../lib/api.ts'
import { type ListPage, readAllOf } from '../../lib/read-all.ts'
import { errorText } from '../../lib/report-error.ts'
import type { TableSearch } from '../../lib/table-search.ts'
import type { RowsState } from '../../ui/data-table/rows-state.ts'
import { filterQuery, type LogFilter } from './log-search.ts'

type LogScope = { isAdmin: boolean; filter: LogFilter }

/** Evaluated per call, so that a page left open all day includes newer rows. */
const nowSeconds = () => Math.floor(Date.now() / 1000)

export function useLogs(search: TableSearch, scope: LogScope): RowsState<Log> {
  const { p, size, order } = search
  const list = (page: ListPage, signal: AbortSignal) => listLogs(scope, page, signal)
  const result = useQuery({
    queryKey: ['logs', 'list', { ...scope, p, size, order, language: currentLanguage() }],
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

async function listLogs({ isAdmin, filter }: LogScope, page: ListPage, signal: AbortSignal) {
  const query = { ...filterQuery(filter, nowSeconds()), ...page, sort: 'id' as const }
  const { data, total } = isAdmin
    ? await call(logEndpoints.listLogs, { query }, signal)
    : await call(logEndpoints.listOwnLogs, { query: own(query) }, signal)
  return { data, total }
}

/** Total consumption under the same filters. */
export function useLogSum({ isAdmin, filter }: LogScope): number | undefined {
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

export function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: ['logs'] })
}

/** Receipts never change, except for the language of their texts. */
export const useReceipt = (id: number) =>
  useQuery({
    queryKey: ['receipt', id, currentLanguage()],
    queryFn: async ({ signal }) =>
      (await call(logEndpoints.getReceipt, { params: { id } }, signal)).data,
    staleTime: Infinity,
    // The row shows the error itself, with a retry button.
    meta: { quiet: true },
  })

type Query = ReturnType<typeof filterQuery>

/** Users see only their own rows, so user and channel filters do not apply. */
const own = <Wanted extends Query>(query: Wanted) => ({
  ...query,
  username: undefined,
  channel: undefined,
})
