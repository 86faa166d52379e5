import { AppError, isRoot, type selfEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { forgetOrders } from '../../store/recent-order.ts'
import { createTtlMemo } from '../../store/ttl-memo.ts'
import { findUser, lockUser } from '../../store/users.ts'
import { createAttemptLimit, takeOrRefuse } from '../attempt-limit.ts'
import type { AdminDeps } from '../deps.ts'
import { withDaysLeft } from '../forecasts.ts'
import { reauthorize } from '../reauthorize.ts'
import { requireConfirmed, requireSession } from '../second-factor/require-confirmed.ts'
import { newDevice } from '../session/device.ts'
import { sessionHash } from '../session/session-hash.ts'
import { getPartnerPlan } from '../topup/partner-plan.ts'
import { profileChange, saveProfile, withUniqueName } from '../users/profile-change.ts'
import { removeUser } from '../users/remove-user.ts'
import { createAccessToken } from './create-access-token.ts'
import { ownDashboard } from './own-dashboard.ts'
import { ownModels } from './own-models.ts'

/** Hashing a password delays every login. */
const PASSWORD_CHANGES_MAX = 10
const ACCESS_TOKENS_MAX = 20
const WINDOW_SECONDS = 20 * 60

export function selfHandlers(deps: AdminDeps): Handlers<typeof selfEndpoints> {
  const { database } = deps
  const limitOf = (name: string, most: number) =>
    createAttemptLimit(deps, { name, most, seconds: WINDOW_SECONDS })
  const passwordChanges = limitOf('password change', PASSWORD_CHANGES_MAX)
  const accessTokens = limitOf('access token', ACCESS_TOKENS_MAX)
  const recentDashboard = createTtlMemo<Awaited<ReturnType<typeof ownDashboard>>>()
  const self = async (id: number) => {
    const user = await findUser(database.kysely, id)
    const [found] = await withDaysLeft(deps, user ? [user] : [])
    if (!found) throw new AppError('user_not_found')
    return found
  }
  return {
    getSelf: async ({ caller }) => ({ data: await self(caller.id) }),
    updateSelf: async (context, { body }) => {
      const { id } = context.caller
      if (body.password) {
        requireSession(context)
        await requireConfirmed(deps, context)
        await takeOrRefuse(passwordChanges, String(id))
      }
      const change = await profileChange(deps, body)
      await withUniqueName(body.username, () =>
        database.changeAccounts(async (tx) => {
          // Session and role may have ended while the password was hashed.
          await lockUser(tx, database.kind, { id })
          await reauthorize(tx, deps, context)
          await saveProfile(tx, id, { change, sessionHash: sessionHash(deps, context) })
        }),
      )
      const { password_hash } = change
      // The browser's device token was signed with the old password.
      return password_hash === undefined || context.sessionId === null
        ? {}
        : { device: newDevice(deps.secrets, { id, password_hash }) }
    },
    deleteSelf: async (context) => {
      const { id } = context.caller
      await database.changeAccounts(async (tx) => {
        await lockUser(tx, database.kind, { id })
        const { role } = await reauthorize(tx, deps, context)
        if (isRoot(role)) throw new AppError('root_is_protected')
        await removeUser(tx, id)
      })
      forgetOrders(database.kysely)
      return { session: null }
    },
    createAccessToken: async (context) => {
      await takeOrRefuse(accessTokens, String(context.caller.id))
      return { data: await createAccessToken(deps, context) }
    },
    getInviteCode: async ({ caller: { id } }) => ({
      data: (await getPartnerPlan(deps, id)).aff_code,
    }),
    getDashboard: async ({ caller: { id } }) => ({
      data: await recentDashboard(String(id), () => ownDashboard(deps, id)),
    }),
    listAvailableModels: async ({ caller }) => ({ data: await ownModels(deps, caller.id) }),
  }
}
