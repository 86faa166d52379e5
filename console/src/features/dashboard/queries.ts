import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type AllUsage, type ChannelStat, statEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { byAttempts } from '../../lib/success.ts'
import { useZoneOfDays } from '../../lib/zone.ts'
import { type Range, type Span, spanOf } from '../../ui/chart/span.ts'

export type Scope = 'mine' | 'everyone'

export type Loaded = { span: Span; usage: AllUsage }

/** Usage of everyone or of the current user, whose answer contains no user list. */
export function useUsage(scope: Scope, range: Range) {
  const zone = useZoneOfDays()
  return useQuery({
    queryKey: ['stat', 'usage', scope, range, zone],
    queryFn: async ({ signal }): Promise<Loaded> => {
      const span = spanOf(range, nowSeconds(), zone)
      const { query } = span
      if (scope === 'everyone') {
        return { span, usage: (await call(statEndpoints.getUsage, { query }, signal)).data }
      }
      const { data } = await call(statEndpoints.getOwnUsage, { query }, signal)
      return { span, usage: { ...data, users: [] } }
    },
    placeholderData: keepPreviousData,
  })
}

export type LoadedChannels = { span: Span; channels: ChannelStat[] }

export function useChannelStats(range: Range) {
  const zone = useZoneOfDays()
  return useQuery({
    queryKey: ['stat', 'channels', range, zone],
    queryFn: async ({ signal }): Promise<LoadedChannels> => {
      const span = spanOf(range, nowSeconds(), zone)
      const { data } = await call(statEndpoints.listChannelStats, { query: span.query }, signal)
      return { span, channels: data.map(byAttempts) }
    },
    placeholderData: keepPreviousData,
  })
}
