import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import {
  type Channel,
  CHANNEL_SORTS,
  channelEndpoints,
  keywordQuery,
  statEndpoints,
} from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'
import type { ChannelFilter } from './channel-filter.ts'
import { healthSpan } from './health.ts'

export const LISTS = ['channels']

export function useChannels(search: TableSearch, filter: ChannelFilter) {
  return useList<Channel>({
    key: [...LISTS, filter],
    search,
    list: ({ sort, ...page }, signal) => {
      const query = { ...page, sort: oneOf(CHANNEL_SORTS, sort), ...filter }
      return call(channelEndpoints.listChannels, { query }, signal)
    },
    find: (keyword, signal) => {
      const query = { ...keywordQuery.parse({ keyword }), ...filter }
      return call(channelEndpoints.searchChannels, { query }, signal)
    },
    sortValue: channelValue,
  })
}

const channelValue = (channel: Channel, column: string) => {
  const sort = oneOf(CHANNEL_SORTS, column)
  return sort && channel[sort]
}

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel', id],
    queryFn: async ({ signal }) =>
      (await call(channelEndpoints.getChannel, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  })

/** Every model any provider is known to offer. */
export const catalogueModelsQuery = queryOptions({
  queryKey: ['catalogue-models'],
  queryFn: async ({ signal }) => {
    const { data } = await call(channelEndpoints.listCatalogueModels, {}, signal)
    return [...new Set(data.map(({ id }) => id))]
  },
  staleTime: Infinity,
})

const STATS_FRESH_MS = 60_000

/** How the channels of these ids did in the last 24 hours. */
export function useChannelStats(ids: readonly number[]) {
  const span = healthSpan(Date.now() / 1000)
  const list = ids.toSorted((a, b) => a - b).join(',')
  const stats = useQuery({
    queryKey: ['channel-stats', list, span.start_timestamp],
    queryFn: async ({ signal }) => {
      const query = { ...span, step: 'hour' as const, ids: list }
      const { data } = await call(statEndpoints.listChannelStats, { query }, signal)
      return new Map(data.map((stat) => [stat.channel_id, stat]))
    },
    enabled: list !== '',
    staleTime: STATS_FRESH_MS,
    placeholderData: keepPreviousData,
  })
  return { start: span.start_timestamp, byId: stats.data }
}

/** Anything that changes channels; the lists are read again afterwards, also after a failure. */
export function useChannelChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: LISTS }),
  })
}

const PATCH = ['patch-channel']

type Patch = { id: number } & (
  | Pick<Channel, 'priority'>
  | Pick<Channel, 'weight'>
  | { status: 1 | 2 }
)
type Lists = { data: Channel[] } | undefined

/** Shows a change in its row at once, and puts the row's field back when the server refuses. */
export function useChannelPatch() {
  const client = useQueryClient()
  return useMutation({
    mutationKey: PATCH,
    mutationFn: (body: Patch) => call(channelEndpoints.updateChannel, { body }),
    onMutate: async (patch) => {
      await client.cancelQueries({ queryKey: LISTS })
      const before = shownRow(client, patch.id)
      changeRow(client, patch.id, (row) => ({ ...row, ...patch }))
      return before
    },
    onError: (_error, patch, before) => {
      if (!before) return
      const names = Object.keys(patch)
      const old = Object.fromEntries(
        Object.entries(before).filter(([name]) => names.includes(name)),
      )
      changeRow(client, patch.id, (row) => ({ ...row, ...old }))
    },
    // What is read while another change is under way would show that one undone for a moment.
    onSettled: () =>
      client.isMutating({ mutationKey: PATCH }) === 1
        ? client.invalidateQueries({ queryKey: LISTS })
        : undefined,
  })
}

function shownRow(client: QueryClient, id: number): Channel | undefined {
  return client
    .getQueriesData<Lists>({ queryKey: LISTS })
    .flatMap(([, lists]) => lists?.data ?? [])
    .find((row) => row.id === id)
}

function changeRow(client: QueryClient, id: number, change: (row: Channel) => Channel) {
  client.setQueriesData<Lists>(
    { queryKey: LISTS },
    (lists) =>
      lists && { ...lists, data: lists.data.map((row) => (row.id === id ? change(row) : row)) },
  )
}
