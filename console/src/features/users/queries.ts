import { queryOptions } from '@tanstack/react-query'
import { keywordQuery, USER_SORTS, type User, userEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'

export const USERS = ['users']

export function useUsers(search: TableSearch) {
  return useList<User>({
    key: USERS,
    search,
    list: (page, signal) =>
      call(
        userEndpoints.listUsers,
        { query: { ...page, sort: oneOf(USER_SORTS, page.sort) } },
        signal,
      ),
    find: (keyword, signal) =>
      call(userEndpoints.searchUsers, { query: keywordQuery.parse({ keyword }) }, signal),
    sortValue: userValue,
  })
}

const userValue = (user: User, column: string) => {
  const sort = oneOf(USER_SORTS, column)
  return sort && user[sort]
}

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...USERS, 'one', id],
    queryFn: async ({ signal }) =>
      (await call(userEndpoints.getUser, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
  })
