import { AppError, isRoot, USER_STATUS } from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import type { Identity } from '../../integrations/identity.ts'
import type { Tx } from '../../store/database.ts'
import { findSessionUser } from '../../store/sessions.ts'
import { lockUser, updateUser, type UserChange } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { refusalOf } from '../users/taken.ts'
import type { Way } from './providers.ts'

/** Who wants to have it; without a session by access token. */
export type Binder = { caller: Pick<Caller, 'id' | 'role'>; sessionId: string | null }

/** Root signs in by password only, so that no administrator becomes root through an option. */
export function requireBindable({ caller }: Binder) {
  if (isRoot(caller.role)) throw new AppError('root_signs_in_by_password')
}

type Alongside = { alongside?: (tx: Tx) => Promise<void> }

/** The caller signs in by it from now on. `alongside` is done with it, or undone with it. */
export async function bindIdentity(
  deps: AdminDeps,
  { column }: Way,
  { binder, identity, alongside }: { binder: Binder; identity: Identity } & Alongside,
) {
  requireBindable(binder)
  const change = { [column]: identity.id }
  await bind(deps, binder, alongside ? { change, alongside } : { change })
}

/** Throws `email_taken` or `identity_taken` for what another user has. */
export async function bind(
  deps: AdminDeps,
  { caller, sessionId }: Binder,
  { change, alongside }: { change: UserChange } & Alongside,
) {
  const { database, secrets } = deps
  try {
    await database.transaction(async (tx) => {
      const user = await lockUser(tx, database.kind, { id: caller.id })
      // The other server took its time; the session may have been ended meanwhile.
      const isSignedIn =
        sessionId === null ||
        (await findSessionUser(tx, secrets.hashSession(sessionId), nowSeconds(deps))) !== undefined
      if (!user || !isSignedIn) throw new AppError('not_signed_in')
      if (user.status !== USER_STATUS.enabled) throw new AppError('account_banned')
      await alongside?.(tx)
      await updateUser(tx, user.id, change)
    })
  } catch (error) {
    throw refusalOf(error, undefined)
  }
}
