import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Log, logEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { errorText } from '../../lib/report-error.ts'
import type { TableSearch } from '../../lib/table-search.ts'
import type { RowsState } from '../../ui/data-table/rows-state.ts'
import { filterQuery, type LogFilter } from './log-search.ts'

type Asked = { isAdmin: boolean; filter: LogFilter; now: number }

export function useLogs(search: TableSearch, { isAdmin, filter, now }: Asked): RowsState<Log> {
  const { p, size, order } = search
  const filters = filterQuery(filter, now)
  const result = useQuery({
    queryKey: ['logs', { isAdmin, p, size, order, filters }],
    queryFn: async ({ signal }) => {
      const query = { p, size, sort: 'id' as const, order, ...filters }
      const { data, total } = isAdmin
        ? await call(logEndpoints.listLogs, { query }, signal)
        : await call(logEndpoints.listOwnLogs, { query: own(query) }, signal)
      return { data, total }
    },
    placeholderData: keepPreviousData,
  })
  return {
    rows: result.data?.data,
    total: result.data?.total ?? null,
    error: result.error && errorText(result.error),
    isStale: result.isPlaceholderData,
    retry: () => void result.refetch(),
  }
}

/** What was consumed with the same filters. */
export function useLogSum({ isAdmin, filter, now }: Asked): number | undefined {
  const query = filterQuery(filter, now)
  const result = useQuery({
    queryKey: ['logs', 'sum', { isAdmin, query }],
    queryFn: async ({ signal }) => {
      if (isAdmin) return (await call(logEndpoints.sumLogs, { query }, signal)).data.quota
      return (await call(logEndpoints.sumOwnLogs, { query: own(query) }, signal)).data.quota
    },
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
  return result.data
}

type Query = ReturnType<typeof filterQuery>

/** A user's own rows are not filtered by user or channel. */
const own = <Wanted extends Query>(query: Wanted) => ({
  ...query,
  username: undefined,
  channel: undefined,
})
