import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Log, LOG_SORTS, logEndpoints } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import { call } from '../../lib/api.ts'
import { callRows } from '../../lib/call-rows.ts'
import type { ListPage, ReadAll } from '../../lib/read-all.ts'
import { errorText } from '../../lib/report-error.ts'
import { retryAfterWait } from '../../lib/retry-after-wait.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { oneOf, type SortOrder, type TableSearch } from '../../lib/table-search.ts'
import { useEarlyQuery } from '../../lib/use-early-query.ts'
import type { RowsState } from '../../ui/data-table/rows-state.ts'
import { ADMIN_FIELDS } from './log-fields.ts'
import { filterQuery, type LogFilter } from './log-search.ts'
import { type Range, TAIL_ROWS_MAX } from './newer-rows.ts'
import { useTail } from './use-tail.ts'

type LogScope = { isAdmin: boolean; filter: LogFilter }

/** What is known of a page of the log before its table is drawn. */
export const logsQueries = (search: TableSearch, scope: LogScope) => ({
  list: listQuery(search, scope),
  sum: sumQuery(scope),
  facets: facetsQuery(scope),
})

function listQuery({ p, size, order, sort: column }: TableSearch, scope: LogScope) {
  const sort = oneOf(LOG_SORTS, column) ?? 'id'
  return {
    queryKey: ['logs', 'list', { ...scope, p, size, order, sort, language: currentLanguage() }],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      listLogs(scope, { p, size, order, sort }, signal),
  }
}

export function useLogs(
  search: TableSearch,
  { isLive, ...scope }: LogScope & { isLive: boolean },
): RowsState<Log> {
  const { order } = search
  const sort = oneOf(LOG_SORTS, search.sort) ?? 'id'
  const query = listQuery(search, scope)
  const result = useEarlyQuery({ ...query, placeholderData: keepPreviousData })
  const { rows, newer } = useTail({
    isLive,
    scope: JSON.stringify(query.queryKey),
    rows: result.data?.data,
    list: async (range, signal) => {
      const page = { p: 0, size: TAIL_ROWS_MAX, order: 'desc' as const, sort: 'id', ...range }
      return (await listLogs(scope, page, signal)).data
    },
  })
  const { total } = result.data ?? {}
  // The newer rows have arrived after the count.
  const { arrived, isMore } = newer
  return {
    rows,
    total: total ? { count: total.count + arrived, more: total.more || isMore } : null,
    error: result.error && errorText(result.error),
    isStale: result.isPlaceholderData,
    retry: () => void result.refetch(),
    readAll: exportOf(scope, { sort, order }),
  }
}

type LogPage = Omit<ListPage, 'before'> & Partial<Range>

async function listLogs(
  { isAdmin, filter }: LogScope,
  { sort: column, ...page }: LogPage,
  signal: AbortSignal,
) {
  const sort = oneOf(LOG_SORTS, column)
  const query = { ...filterQuery(filter, Math.floor(nowSeconds())), ...page, sort }
  const { data, total } = isAdmin
    ? await call(logEndpoints.listLogs, { query }, signal)
    : await call(logEndpoints.listOwnLogs, { query: own(query) }, signal)
  return { data, total }
}

type Sort = { sort: (typeof LOG_SORTS)[number]; order: SortOrder }

/** All rows of the filter, which the server sends as fast as they are read. */
const exportOf =
  ({ isAdmin, filter }: LogScope, order: Sort): ReadAll<Log> =>
  async ({ signal, onRows, onWait }) => {
    const query = { ...filterQuery(filter, Math.floor(nowSeconds())), ...order }
    const read = () =>
      isAdmin
        ? callRows(logEndpoints.exportLogs, { query }, { signal, onRows })
        : callRows(logEndpoints.exportOwnLogs, { query: own(query) }, { signal, onRows })
    await retryAfterWait(read, { signal, onWait })
    return { isCut: false }
  }

const sumQuery = ({ isAdmin, filter }: LogScope) => ({
  queryKey: ['logs', 'sum', { isAdmin, filter }],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = filterQuery(filter, Math.floor(nowSeconds()))
    if (isAdmin) return (await call(logEndpoints.sumLogs, { query }, signal)).data.quota
    return (await call(logEndpoints.sumOwnLogs, { query: own(query) }, signal)).data.quota
  },
  meta: { quiet: true },
})

/** Total consumption under the same filters. */
export const useLogSum = (scope: LogScope): number | undefined =>
  useEarlyQuery({ ...sumQuery(scope), placeholderData: keepPreviousData }).data

const facetsQuery = ({ isAdmin, filter }: LogScope) => ({
  queryKey: ['logs', 'facets', { isAdmin, filter }],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = filterQuery(filter, Math.floor(nowSeconds()))
    if (isAdmin) return (await call(logEndpoints.listLogFacets, { query }, signal)).data
    return (await call(logEndpoints.listOwnLogFacets, { query: own(query) }, signal)).data
  },
  meta: { quiet: true },
})

/** Counts of the rows under the same filters. */
export const useFacets = (scope: LogScope) =>
  useEarlyQuery({ ...facetsQuery(scope), placeholderData: keepPreviousData }).data

export function useRefresh() {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: ['logs'] })
}

/** A receipt changes only when a late end replaces a void; *Refresh* reads it again. */
export const useReceipt = (id: number) =>
  useQuery({
    queryKey: ['logs', 'receipt', id, currentLanguage()],
    queryFn: async ({ signal }) =>
      (await call(logEndpoints.getReceipt, { params: { id } }, signal)).data,
    staleTime: Infinity,
    // The row shows the error itself, with a retry button.
    meta: { quiet: true },
  })

type Query = ReturnType<typeof filterQuery>

/** Users see only their own rows, so user and channel filters do not apply. */
function own<Wanted extends Query>(query: Wanted): Wanted {
  const cleared = Object.fromEntries(ADMIN_FIELDS.map((field) => [field, undefined]))
  return { ...query, ...cleared }
}
