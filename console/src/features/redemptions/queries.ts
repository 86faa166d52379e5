import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Redemption, REDEMPTION_SORTS, redemptionEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'
import type { RedemptionFilter } from './redemption-filter.ts'

export const REDEMPTIONS = ['redemptions']

export function useRedemptions(search: TableSearch, filter: RedemptionFilter) {
  return useList<Redemption>({
    key: [...REDEMPTIONS, filter, search.keyword],
    search,
    list: ({ sort, ...page }, signal) => {
      const { keyword } = search
      const query = { ...page, ...filter, keyword, sort: oneOf(REDEMPTION_SORTS, sort) }
      return call(redemptionEndpoints.listRedemptions, { query }, signal)
    },
  })
}

export const useBatches = () =>
  useQuery({
    queryKey: [...REDEMPTIONS, 'batches'],
    queryFn: async ({ signal }) =>
      (await call(redemptionEndpoints.listRedemptionBatches, {}, signal)).data,
  })

export const redemptionQuery = (id: number) =>
  queryOptions({
    queryKey: [...REDEMPTIONS, 'one', id],
    queryFn: async ({ signal }) =>
      (await call(redemptionEndpoints.getRedemption, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
    meta: { shownByPage: true },
  })
