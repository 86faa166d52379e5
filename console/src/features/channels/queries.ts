import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  type Channel,
  CHANNEL_SORTS,
  CHANNEL_STATUS,
  channelEndpoints,
  statEndpoints,
} from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import type { ListPage } from '../../lib/read-all.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { byAttempts } from '../../lib/success.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useRowChange } from '../../lib/use-change.ts'
import { useEarlyQuery } from '../../lib/use-early-query.ts'
import { listQuery, useList } from '../../lib/use-list.ts'
import type { ChannelFilter } from './channel-filter.ts'
import { healthSpan } from './health.ts'

export const CHANNELS = ['channels']

const listOf = (search: TableSearch, filter: ChannelFilter) => ({
  key: [...CHANNELS, filter, search.keyword],
  search,
  list: ({ sort, ...page }: ListPage, signal: AbortSignal) => {
    const { keyword } = search
    const query = { ...page, keyword, sort: oneOf(CHANNEL_SORTS, sort), ...filter }
    return call(channelEndpoints.listChannels, { query }, signal)
  },
})

export const useChannels = (search: TableSearch, filter: ChannelFilter) =>
  useList<Channel>(listOf(search, filter))

/** What the list of channels is drawn from. */
export const channelsQueries = (search: TableSearch, filter: ChannelFilter) => ({
  list: listQuery(listOf(search, filter)),
  summary: summaryQuery(search.keyword, filter),
})

/** Counts by health within the other filters, and what channels can be filtered by. */
const summaryQuery = (keyword: string, { health: _, ...others }: ChannelFilter) => ({
  queryKey: [...CHANNELS, 'summary', keyword, others],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await call(channelEndpoints.summarizeChannels, { query: { keyword, ...others } }, signal))
      .data,
})

export const useChannelSummary = (keyword: string, filter: ChannelFilter) =>
  useEarlyQuery({ ...summaryQuery(keyword, filter), placeholderData: keepPreviousData }).data

/** The tags of all channels. */
export const tagsQuery = queryOptions({
  queryKey: [...CHANNELS, 'tags'],
  queryFn: async ({ signal }) =>
    (await call(channelEndpoints.summarizeChannels, { query: {} }, signal)).data.tags,
})

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel', id],
    queryFn: async ({ signal }) =>
      (await call(channelEndpoints.getChannel, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
    meta: { shownByPage: true },
  })

export const catalogueModelsQuery = queryOptions({
  queryKey: ['catalogue-models'],
  queryFn: async ({ signal }) => {
    const { data } = await call(channelEndpoints.listCatalogueModels, {}, signal)
    return [...new Set(data.map(({ id }) => id))]
  },
  staleTime: Infinity,
})

/** Routing plan for a model and group; disabled until the user asks. */
export const routeQuery = (request: { model: string; group: string } | null) =>
  queryOptions({
    queryKey: ['channel-route', request],
    queryFn: request
      ? async ({ signal }) =>
          (await call(channelEndpoints.planRoute, { query: request }, signal)).data
      : skipToken,
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  })

const STATS_FRESH_MS = 60_000

export function useChannelStats(ids: readonly number[]) {
  const span = healthSpan(nowSeconds())
  const list = ids.toSorted((a, b) => a - b).join(',')
  const stats = useQuery({
    queryKey: ['channel-stats', list, span.start_timestamp],
    queryFn: async ({ signal }) => {
      const query = { ...span, step: 'hour' as const, ids: list }
      const { data } = await call(statEndpoints.listChannelStats, { query }, signal)
      return new Map(data.map((stat) => [stat.channel_id, byAttempts(stat)]))
    },
    enabled: list !== '',
    staleTime: STATS_FRESH_MS,
    placeholderData: keepPreviousData,
  })
  return useMemo(
    () => ({ start: span.start_timestamp, byId: stats.data }),
    [span.start_timestamp, stats.data],
  )
}

type Patch = Pick<Channel, 'priority'> | Pick<Channel, 'weight'> | { status: 1 | 2 }

export const useChannelPatch = () =>
  useRowChange<Channel, Patch>({
    listKey: CHANNELS,
    alsoKey: ({ id }) => ['channel', id],
    guess: (patch, { health }) => ({
      ...patch,
      // Only the server knows the health of a channel that is enabled again.
      ...('status' in patch && patch.status === CHANNEL_STATUS.disabled
        ? { health: { ...health, word: 'off', reason: '', since: 0, help: '' } }
        : {}),
    }),
    change: async ({ id }, patch) =>
      (await call(channelEndpoints.updateChannel, { body: { id, ...patch } })).data,
  })
