import { AppError, isRoot, type selfEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { createAttemptLimit } from '../../http/rate-limit.ts'
import { findSessionUser } from '../../store/sessions.ts'
import { findUser, lockUser } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { sessionHash } from '../session/session-hash.ts'
import { profileChange, saveProfile, withUniqueName } from '../users/profile-change.ts'
import { removeUser } from '../users/remove-user.ts'

/** Computing a password keeps everybody waiting who signs in. */
const PASSWORD_CHANGES_MAX = 10
const PASSWORD_WINDOW_MS = 20 * 60 * 1000

export function selfHandlers(deps: AdminDeps): Handlers<typeof selfEndpoints> {
  const { database, now } = deps
  const passwordChanges = createAttemptLimit({
    most: PASSWORD_CHANGES_MAX,
    windowMs: PASSWORD_WINDOW_MS,
    now,
  })
  return {
    getSelf: async ({ caller }) => {
      const user = await findUser(database.kysely, caller.id)
      if (!user) throw new AppError('user_not_found')
      return { data: user }
    },
    updateSelf: async (context, { body }) => {
      const { id } = context.caller
      const seconds = body.password ? passwordChanges.take(String(id)) : null
      if (seconds !== null) throw new AppError('too_many_requests', { seconds })
      const change = await profileChange(body)
      const session = sessionHash(deps, context)
      await withUniqueName(body.username, () =>
        database.change(async (tx) => {
          // Both may have ended while the password was computed.
          const user = await lockUser(tx, database.kind, { id })
          const isSignedIn =
            session === '' || (await findSessionUser(tx, session, nowSeconds(deps)))
          if (!user || !isSignedIn) throw new AppError('not_signed_in')
          await saveProfile(tx, id, { change, sessionHash: session })
        }),
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
