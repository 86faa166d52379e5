import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { keywordQuery, type Token, TOKEN_SORTS, tokenEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'

const KEY = ['tokens']

export function useTokens(search: TableSearch) {
  return useList<Token>({
    key: KEY,
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
    queryKey: [...KEY, 'one', id],
    queryFn: async ({ signal }) =>
      (await call(tokenEndpoints.getToken, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  })

/** Anything that changes tokens; the lists are read again afterwards, also after a failure. */
export function useTokenChange<Input, Result>(change: (input: Input) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
}
