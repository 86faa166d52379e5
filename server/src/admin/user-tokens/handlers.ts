import {
  SEARCH_ROWS_MAX,
  TOKEN_STATUS,
  type UserToken,
  type userTokenEndpoints,
} from '@tollgate/contract'
import { tokenState } from '../../domain/token-state.ts'
import type { Handlers } from '../../http/mount.ts'
import {
  findUserTokensByName,
  listUserTokens,
  type ShownUserToken,
  type UserTokenFilter,
} from '../../store/user-tokens.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { revokeUserToken, setUserTokenStatus } from './change-user-token.ts'
import { findByKey, isKeyText } from './find-by-key.ts'

export function userTokenHandlers(deps: AdminDeps): Handlers<typeof userTokenEndpoints> {
  const { kysely } = deps.database
  const shown = ({ key_sealed, ...row }: ShownUserToken): UserToken => ({
    ...row,
    key_hint: key_sealed === null ? '' : hintOf(deps.secrets.openRelayKey(key_sealed)),
    status: TOKEN_STATUS[tokenState(row, nowSeconds(deps))],
    unlimited_quota: row.unlimited_quota === 1,
  })
  return {
    listUserTokens: async ({ caller }, { query: { user_id, ...page } }) => {
      const { rows, total } = await listUserTokens(kysely, filterOf(caller, user_id), page)
      return { data: rows.map(shown), total }
    },
    findUserTokens: async ({ caller }, { body: { keyword, user_id } }) => {
      const filter = filterOf(caller, user_id)
      const wanted = { keyword, limit: SEARCH_ROWS_MAX }
      const named = isKeyText(keyword) ? [] : await findUserTokensByName(kysely, filter, wanted)
      const rows = named.length > 0 ? named : await findByKey(deps, filter, keyword)
      return { data: rows.map(shown) }
    },
    setUserTokenStatus: async (context, { body }) => ({
      data: shown(await setUserTokenStatus(deps, context, body)),
    }),
    revokeUserToken: async (context, { params }) => {
      await revokeUserToken(deps, context, params.id)
      return {}
    },
  }
}

const filterOf = (manager: UserTokenFilter['manager'], userId: number | undefined) => ({
  manager,
  ...(userId === undefined ? {} : { userId }),
})

const hintOf = (key: string) => `sk-${key.slice(0, 2)}…${key.slice(-2)}`
