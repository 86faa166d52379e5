import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { topUpEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'

export const FRIENDS_PER_PAGE = 10

export const planQuery = queryOptions({
  queryKey: ['partner-plan'],
  queryFn: async ({ signal }) => (await call(topUpEndpoints.getPartnerPlan, {}, signal)).data,
})

/** Pages start at 1. */
export const friendsQuery = (page: number) =>
  queryOptions({
    queryKey: ['friends', page],
    queryFn: async ({ signal }) => {
      const query = { page, size: FRIENDS_PER_PAGE }
      const { data, extra } = await call(topUpEndpoints.listFriends, { query }, signal)
      return { friends: data, total: extra.total }
    },
    placeholderData: keepPreviousData,
  })
