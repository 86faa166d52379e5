import { queryOptions } from '@tanstack/react-query'
import {
  keywordQuery,
  type Redemption,
  REDEMPTION_SORTS,
  redemptionEndpoints,
} from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'

export const REDEMPTIONS = ['redemptions']

export function useRedemptions(search: TableSearch) {
  return useList<Redemption>({
    key: REDEMPTIONS,
    search,
    list: (page, signal) =>
      call(
        redemptionEndpoints.listRedemptions,
        { query: { ...page, sort: oneOf(REDEMPTION_SORTS, page.sort) } },
        signal,
      ),
    find: (keyword, signal) =>
      call(
        redemptionEndpoints.searchRedemptions,
        { query: keywordQuery.parse({ keyword }) },
        signal,
      ),
    sortValue: redemptionValue,
  })
}

const redemptionValue = (redemption: Redemption, column: string) => {
  const sort = oneOf(REDEMPTION_SORTS, column)
  return sort && redemption[sort]
}

export const redemptionQuery = (id: number) =>
  queryOptions({
    queryKey: [...REDEMPTIONS, 'one', id],
    queryFn: async ({ signal }) =>
      (await call(redemptionEndpoints.getRedemption, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  })
