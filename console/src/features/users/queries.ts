import { queryOptions } from '@tanstack/react-query'
import { USER_SORTS, type User, userEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'
import type { UserFilter } from './user-filter.ts'

export const USERS = ['users']

export function useUsers(search: TableSearch, filter: UserFilter) {
  return useList<User>({
    key: [...USERS, filter, search.keyword],
    search,
    list: ({ sort, ...page }, signal) => {
      const query = {
        ...page,
        ...filter,
        sort: oneOf(USER_SORTS, sort),
        keyword: search.keyword,
        quota_min: filter.quota_min || undefined,
        quota_max: filter.quota_max || undefined,
        inviter_id: filter.inviter_id || undefined,
      }
      return call(userEndpoints.listUsers, { query }, signal)
    },
  })
}

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...USERS, 'one', id],
    queryFn: async ({ signal }) =>
      (await call(userEndpoints.getUser, { params: { id } }, signal)).data,
    refetchOnWindowFocus: false,
    staleTime: 0,
    gcTime: 0,
    meta: { shownByPage: true },
  })
