import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Channel, CHANNEL_SORTS, channelEndpoints, keywordQuery } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'

const LISTS = ['channels']

export function useChannels(search: TableSearch) {
  return useList<Channel>({
    key: LISTS,
    search,
    list: (page, signal) =>
      call(
        channelEndpoints.listChannels,
        { query: { ...page, sort: oneOf(CHANNEL_SORTS, page.sort) } },
        signal,
      ),
    find: (keyword, signal) =>
      call(channelEndpoints.searchChannels, { query: keywordQuery.parse({ keyword }) }, signal),
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

/** Anything that changes channels; the lists are read again afterwards, also after a failure. */
export function useChannelChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: LISTS }),
  })
}

type Order = { id: number } & Partial<Pick<Channel, 'priority' | 'weight'>>
type Lists = { data: Channel[] } | undefined

/** Priority and weight are shown changed at once and put back when the server refuses. */
export function useChannelOrder() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Order) => call(channelEndpoints.updateChannel, { body }),
    onMutate: async (order) => {
      await client.cancelQueries({ queryKey: LISTS })
      const before = client.getQueriesData<Lists>({ queryKey: LISTS })
      client.setQueriesData<Lists>(
        { queryKey: LISTS },
        (lists) =>
          lists && {
            ...lists,
            data: lists.data.map((row) => (row.id === order.id ? { ...row, ...order } : row)),
          },
      )
      return before
    },
    onError: (_error, _order, before) => {
      for (const [key, lists] of before ?? []) client.setQueryData(key, lists)
    },
    onSettled: () => client.invalidateQueries({ queryKey: LISTS }),
  })
}
