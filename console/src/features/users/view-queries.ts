import { useQuery } from '@tanstack/react-query'
import {
  LOG_TYPE,
  logEndpoints,
  statEndpoints,
  userEndpoints,
  userTokenEndpoints,
} from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useZoneOfDays } from '../../lib/zone.ts'
import { spanOf } from '../../ui/chart/span.ts'
import { USERS } from './queries.ts'

/** The page shows the newest rows, and links to the list of all. */
export const ROWS_SHOWN = 10

const NEWEST = { size: ROWS_SHOWN, order: 'desc' } as const

export function useUserUsage(id: number) {
  const zone = useZoneOfDays()
  return useQuery({
    queryKey: [...USERS, 'usage', id, zone],
    queryFn: async ({ signal }) => {
      const span = spanOf('7d', nowSeconds(), zone)
      const { query } = span
      const { data } = await call(statEndpoints.getUserUsage, { params: { id }, query }, signal)
      return { span, usage: data }
    },
  })
}

export const useTokensOf = (id: number) =>
  useQuery({
    queryKey: [...USERS, 'tokens', id],
    queryFn: async ({ signal }) =>
      (
        await call(
          userTokenEndpoints.listUserTokens,
          { query: { ...NEWEST, sort: 'accessed_time', user_id: String(id) } },
          signal,
        )
      ).data,
  })

export const useRequestsOf = (id: number) =>
  useQuery({
    queryKey: [...USERS, 'requests', id],
    queryFn: async ({ signal }) =>
      (
        await call(
          logEndpoints.listLogs,
          { query: { ...NEWEST, user_id: String(id), type: LOG_TYPE.consume } },
          signal,
        )
      ).data,
  })

export const useCreditsOf = (id: number) =>
  useQuery({
    queryKey: [...USERS, 'credits', id],
    queryFn: async ({ signal }) =>
      (await call(userEndpoints.listUserCredits, { params: { id }, query: NEWEST }, signal)).data,
  })

export const useInvitedBy = (id: number) =>
  useQuery({
    queryKey: [...USERS, 'invited', id],
    queryFn: async ({ signal }) =>
      (
        await call(
          userEndpoints.listUsers,
          { query: { ...NEWEST, inviter_id: String(id) } },
          signal,
        )
      ).data,
  })
