import { AppError, type EndpointInput, type tokenEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { forgetOrders } from '../../store/recent-order.ts'
import { deleteToken, findToken, listTokens, searchTokens } from '../../store/tokens.ts'
import type { AdminDeps } from '../deps.ts'
import { reauthorize } from '../reauthorize.ts'
import { createToken } from './create-token.ts'
import { presentToken, presentTokens } from './present-token.ts'
import { setTokenStatus } from './set-token-status.ts'
import { updateToken } from './update-token.ts'

type TokenUpdate = EndpointInput<typeof tokenEndpoints.updateToken>['body']

export function tokenHandlers(deps: AdminDeps): Handlers<typeof tokenEndpoints> {
  const { database } = deps
  return {
    listTokens: async ({ caller }, { query }) => {
      const { rows, total } = await listTokens(database.kysely, caller.id, query)
      return { data: await presentTokens(deps, database.kysely, rows), total }
    },
    searchTokens: async ({ caller }, { query }) => {
      const rows = await searchTokens(database.kysely, caller.id, query)
      return { data: await presentTokens(deps, database.kysely, rows) }
    },
    getToken: async ({ caller }, { params }) => {
      const token = await findToken(database.kysely, { userId: caller.id, id: params.id })
      if (!token) throw new AppError('token_not_found')
      return { data: await presentToken(deps, database.kysely, token) }
    },
    createToken: async (context, { body }) => ({
      data: await createToken(deps, context, body),
    }),
    updateToken: async (context, { query, body }) => {
      const save = query.status_only || !isForm(body) ? setTokenStatus : updateToken
      return { data: await save(deps, context, body) }
    },
    deleteToken: async (context, { params }) => {
      await database.changeAccounts(async (tx) => {
        const deleted = await deleteToken(tx, { userId: context.caller.id, id: params.id })
        await reauthorize(tx, deps, context)
        if (!deleted) throw new AppError('token_not_found')
      })
      forgetOrders(database.kysely)
      return {}
    },
  }
}

/** Without settings the body is a status change; saving it as a form would reset every setting. */
const isForm = ({ id: _id, status: _status, ...settings }: TokenUpdate) =>
  Object.values(settings).some((value) => value !== undefined)
