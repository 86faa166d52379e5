import { queryOptions } from '@tanstack/react-query'
import { keywordQuery, type Token, TOKEN_SORTS, tokenEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import type { ListPage } from '../../lib/read-all.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { listQuery, useList } from '../../lib/use-list.ts'

export const TOKENS = ['tokens']

const listOf = (search: TableSearch) => ({
  key: TOKENS,
  search,
  list: (page: ListPage, signal: AbortSignal) =>
    call(
      tokenEndpoints.listTokens,
      { query: { ...page, sort: oneOf(TOKEN_SORTS, page.sort) } },
      signal,
    ),
  find: (keyword: string, signal: AbortSignal) =>
    call(tokenEndpoints.searchTokens, { query: keywordQuery.parse({ keyword }) }, signal),
  sortValue: tokenValue,
})

export const useTokens = (search: TableSearch) => useList<Token>(listOf(search))

/** What the list of tokens is drawn from. */
export const tokensQuery = (search: TableSearch) => listQuery(listOf(search))

const tokenValue = (token: Token, column: string) => {
  const sort = oneOf(TOKEN_SORTS, column)
  return sort && token[sort]
}

export const tokenQuery = (id: number) =>
  queryOptions({
    queryKey: [...TOKENS, 'one', id],
    queryFn: async ({ signal }) =>
      (await call(tokenEndpoints.getToken, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
    meta: { shownByPage: true },
  })

export const setStatus = async ({ id }: Pick<Token, 'id'>, status: 1 | 2) =>
  (await call(tokenEndpoints.updateToken, { query: { status_only: 'true' }, body: { id, status } }))
    .data
