import { queryOptions } from '@tanstack/react-query'
import { keywordQuery, type Token, TOKEN_SORTS, tokenEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'

export const TOKENS = ['tokens']

export function useTokens(search: TableSearch) {
  return useList<Token>({
    key: TOKENS,
    search,
    list: (page, signal) =>
      call(
        tokenEndpoints.listTokens,
        { query: { ...page, sort: oneOf(TOKEN_SORTS, page.sort) } },
        signal,
      ),
    find: (keyword, signal) =>
      call(tokenEndpoints.searchTokens, { query: keywordQuery.parse({ keyword }) }, signal),
    sortValue: tokenValue,
  })
}

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
