import { AppError, canManage, type userEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { listCredits } from '../../store/credits.ts'
import { findUser, listUsers, searchUsers } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { withDaysLeft } from '../forecasts.ts'
import { presentCredit } from '../present-credit.ts'
import { requireConfirmed } from '../second-factor/require-confirmed.ts'
import { resetSecondFactor } from '../second-factor/reset-second-factor.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { manageUser } from './manage-user.ts'
import { updateUser } from './update-user.ts'

export function userHandlers(deps: AdminDeps): Handlers<typeof userEndpoints> {
  const { kysely } = deps.database
  return {
    listUsers: async (_, { query }) => {
      const { p, size, before, sort, order, ...filter } = query
      const now = nowSeconds(deps)
      const { rows, total } = await listUsers(kysely, { p, size, before, sort, order, filter, now })
      return { data: await withDaysLeft(deps, rows), total }
    },
    searchUsers: async (_, { query }) => ({
      data: await withDaysLeft(deps, await searchUsers(kysely, query)),
    }),
    getUser: async ({ caller }, { params }) => {
      const user = await findUser(kysely, params.id)
      if (!user) throw new AppError('user_not_found')
      if (!canManage(caller, user)) throw new AppError('target_not_below')
      return { data: user }
    },
    listUserCredits: async ({ caller }, { params, query }) => {
      const user = await findUser(kysely, params.id)
      if (!user) throw new AppError('user_not_found')
      if (!canManage(caller, user)) throw new AppError('target_not_below')
      const { rows, total } = await listCredits(kysely, { ...query, userId: user.id })
      return { data: rows.map(presentCredit), total }
    },
    createUser: async (context, { body }) => ({
      data: await createUser(deps, { asking: context, draft: body }),
    }),
    updateUser: async (context, { body }) => ({ data: await updateUser(deps, context, body) }),
    manageUser: async (context, { body }) => {
      if (body.action === 'promote') await requireConfirmed(deps, context)
      return { data: await manageUser(deps, context, body) }
    },
    deleteUser: async (context, { params }) => {
      await deleteUser(deps, context, params.id)
      return {}
    },
    resetSecondFactor: async (context, { params }) => {
      await resetSecondFactor(deps, context, params.id)
      return {}
    },
  }
}
