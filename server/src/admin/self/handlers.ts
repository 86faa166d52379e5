import { AppError, isRoot, type selfEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { findUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { sessionHash } from '../session/session-hash.ts'
import { profileChange, saveProfile, withUniqueName } from '../users/profile-change.ts'
import { removeUser } from '../users/remove-user.ts'

export function selfHandlers(deps: AdminDeps): Handlers<typeof selfEndpoints> {
  const { database } = deps
  return {
    getSelf: async ({ caller }) => {
      const user = await findUser(database.kysely, caller.id)
      if (!user) throw new AppError('user_not_found')
      return { data: user }
    },
    updateSelf: async (context, { body }) => {
      const change = await profileChange(body)
      await withUniqueName(body.username, () =>
        database.change((tx) =>
          saveProfile(tx, context.caller.id, { change, sessionHash: sessionHash(deps, context) }),
        ),
      )
      return {}
    },
    deleteSelf: async ({ caller }) => {
      if (isRoot(caller.role)) throw new AppError('root_is_protected')
      await database.change((tx) => removeUser(tx, caller.id))
      return { session: null }
    },
  }
}
