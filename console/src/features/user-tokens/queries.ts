import { USER_TOKEN_SORTS, type UserToken, userTokenEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { oneOf, type TableSearch } from '../../lib/table-search.ts'
import { useList } from '../../lib/use-list.ts'

export const USER_TOKENS = ['userTokens']

/** `userId` is 0 for all users. */
export function useUserTokens(search: TableSearch, userId: number) {
  const owner = userId === 0 ? {} : { user_id: userId }
  return useList<UserToken>({
    key: [...USER_TOKENS, userId],
    search,
    list: (page, signal) =>
      call(
        userTokenEndpoints.listUserTokens,
        { query: { ...page, sort: oneOf(USER_TOKEN_SORTS, page.sort), ...owner } },
        signal,
      ),
    find: (keyword, signal) =>
      call(userTokenEndpoints.findUserTokens, { body: { keyword, ...owner } }, signal),
    sortValue: valueOf,
  })
}

const valueOf = (token: UserToken, column: string) => {
  const sort = oneOf(USER_TOKEN_SORTS, column)
  return sort && token[sort]
}
