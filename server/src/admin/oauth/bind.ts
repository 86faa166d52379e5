import { AppError, isRoot } from '@tollgate/contract'
import type { Identity } from '../../integrations/identity.ts'
import { requireConfirmedWay, type UsedWay } from '../../settings/identity-ways.ts'
import type { Tx } from '../../store/database.ts'
import { lockUser, updateUser, type UserChange } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type Asking, reauthorize } from '../reauthorize.ts'
import { refusalOf } from '../users/unique-violation.ts'
import type { Way } from './providers.ts'

/** No other server signs root in, so that no administrator becomes root through an option. */
export function requireBindable({ caller }: Asking) {
  if (isRoot(caller.role)) throw new AppError('root_signs_in_by_password')
}

type Alongside = { alongside?: (tx: Tx) => Promise<void> }

/** The caller signs in by it from now on. `alongside` is done with it, or undone with it. */
export async function bindIdentity(
  deps: AdminDeps,
  { column, used }: Way,
  { binder, identity, alongside }: { binder: Asking; identity: Identity } & Alongside,
) {
  requireBindable(binder)
  const change = { [column]: identity.id }
  await bind(deps, binder, { change, used, ...(alongside && { alongside }) })
}

/**
 * Throws `email_taken` or `identity_taken` for what another user has, and for administrators
 * `identity_unconfirmed`: a server that somebody else entered could bind an identity of its choice.
 */
export async function bind(
  deps: AdminDeps,
  binder: Asking,
  { change, used, alongside }: { change: UserChange; used: UsedWay } & Alongside,
) {
  const { database } = deps
  const { id } = binder.caller
  try {
    await database.transaction(async (tx) => {
      await lockUser(tx, database.kind, { id })
      // The other server took its time.
      const { role } = await reauthorize(tx, deps, binder)
      await requireConfirmedWay(tx, used, role)
      await alongside?.(tx)
      await updateUser(tx, id, change)
    })
  } catch (error) {
    throw refusalOf(error, undefined)
  }
}
