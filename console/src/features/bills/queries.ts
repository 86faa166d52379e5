import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  billEndpoints,
  type BillSource,
  channelEndpoints,
  type EndpointCall,
} from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { readAllOf } from '../../lib/read-all.ts'
import type { Period } from './period.ts'

export const BILLS = ['bills']

/** While an import runs in the background, its progress is read again. */
const PROGRESS_MS = 1500

export const sourcesQuery = queryOptions({
  queryKey: [...BILLS, 'sources'],
  queryFn: async ({ signal }) => (await call(billEndpoints.listBillSources, {}, signal)).data,
  refetchInterval: ({ state: { data = [] } }) =>
    data.some(({ imports }) => imports[0]?.state === 'running') ? PROGRESS_MS : false,
})

/** An import that ends changes the sums. */
const importsOf = (sources: readonly BillSource[]) =>
  sources.map(({ id, imports }) => `${id} ${imports[0]?.id ?? 0} ${imports[0]?.state ?? ''}`)

export const summariesQuery = (query: Period, sources: readonly BillSource[]) =>
  queryOptions({
    queryKey: [...BILLS, 'summaries', query, importsOf(sources)],
    queryFn: async ({ signal }) =>
      (await call(billEndpoints.listBillSummaries, { query }, signal)).data,
    placeholderData: keepPreviousData,
  })

export const comparisonQuery = (id: number, query: Period) =>
  queryOptions({
    queryKey: [...BILLS, 'compare', id, query],
    queryFn: async ({ signal }) =>
      (await call(billEndpoints.compareBill, { params: { id }, query }, signal)).data,
  })

export type ChannelName = { id: number; name: string }

const readChannels = readAllOf({
  list: (page, signal) =>
    call(channelEndpoints.listChannels, { query: { ...page, sort: 'id' } }, signal),
  sort: 'id',
  order: 'desc',
})

export const channelNamesQuery = queryOptions({
  queryKey: [...BILLS, 'channels'],
  queryFn: async ({ signal }): Promise<ChannelName[]> => {
    const names: ChannelName[] = []
    await readChannels({
      signal,
      onRows: (channels) => names.push(...channels.map(({ id, name }) => ({ id, name }))),
      onWait: () => {},
    })
    return names
  },
})

export type SourceDraft = EndpointCall<typeof billEndpoints.createBillSource>['body']

export async function saveSource({ id, draft }: { id: number | null; draft: SourceDraft }) {
  if (id === null) return (await call(billEndpoints.createBillSource, { body: draft })).data
  return (await call(billEndpoints.updateBillSource, { body: { ...draft, id } })).data
}
