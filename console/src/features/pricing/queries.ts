import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  type EndpointCall,
  modelPriceEndpoints,
  optionEndpoints,
  priceEndpoints,
} from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { confirmLosses } from '../../lib/price-check.ts'
import { isPriceChange } from '../../lib/price-options.ts'
import { type OwnPrice, withPrice } from './own-price.ts'

export const PRICES = ['prices']

export const unpricedQuery = queryOptions({
  queryKey: [...PRICES, 'unpriced'],
  queryFn: async ({ signal }) => (await call(priceEndpoints.listUnpricedModels, {}, signal)).data,
})

export const feedsQuery = queryOptions({
  queryKey: [...PRICES, 'feeds'],
  queryFn: async ({ signal }) => (await call(priceEndpoints.listPriceFeeds, {}, signal)).data,
})

export type Scope = 'offered' | 'all'

export const changesQuery = (id: number, scope: Scope) =>
  queryOptions({
    queryKey: [...PRICES, 'changes', id, scope],
    queryFn: async ({ signal }) => {
      const input = { params: { id }, query: { scope } }
      return (await call(priceEndpoints.listPriceChanges, input, signal)).data
    },
  })

export type ModelScope = 'offered' | 'own' | 'all'

export const modelPricesQuery = (scope: ModelScope, keyword: string) =>
  queryOptions({
    queryKey: [...PRICES, 'models', scope, keyword],
    queryFn: async ({ signal }) =>
      (await call(modelPriceEndpoints.listModelPrices, { query: { scope, keyword } }, signal)).data,
    placeholderData: keepPreviousData,
  })

export type FeedDraft = EndpointCall<typeof priceEndpoints.createPriceFeed>['body']

export async function saveFeed({ id, draft }: { id: number | null; draft: FeedDraft }) {
  if (id === null) return (await call(priceEndpoints.createPriceFeed, { body: draft })).data
  return (await call(priceEndpoints.updatePriceFeed, { body: { ...draft, id } })).data
}

export const pullFeed = async ({ id, content = '' }: { id: number; content?: string }) =>
  (await call(priceEndpoints.pullPriceFeed, { body: { id, content } })).data

/** Adds the price to the tables as they are now, so that other entries stay. */
export async function saveOwnPrice({ price, unit }: { price: OwnPrice; unit: number }) {
  const { data } = await call(optionEndpoints.listOptions, {})
  const tables = new Map(data.map(({ key, value }) => [key, value]))
  const changes = withPrice(tables, price, unit)
  await confirmLosses({ options: changes.filter(isPriceChange) })
  for (const body of changes) await call(optionEndpoints.updateOption, { body })
}
