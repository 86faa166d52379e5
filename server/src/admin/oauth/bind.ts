import { AppError, isRoot } from '@tollgate/contract'
import type { Identity } from '../../integrations/identity.ts'
import { requireConfirmedWay, type UsedWay } from '../../settings/identity-ways.ts'
import type { Tx } from '../../store/database.ts'
import { lockUser, updateUser, type UserChange } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { toAppError } from '../users/unique-violation.ts'
import type { Way } from './providers.ts'

/**
 * Root cannot bind an identity. Otherwise an administrator could become root by changing an option.
 */
export function requireBindable({ caller }: CallerContext) {
  if (isRoot(caller.role)) throw new AppError('root_signs_in_by_password')
}

type TransactionHook = { inTransaction?: (tx: Tx) => Promise<void> }

/** Binds the identity to the caller's account. `alongside` runs in the same transaction. */
export async function bindIdentity(
  deps: AdminDeps,
  { column, used }: Way,
  {
    binder,
    identity,
    inTransaction,
  }: { binder: CallerContext; identity: Identity } & TransactionHook,
) {
  requireBindable(binder)
  const change = { [column]: identity.id }
  await bind(deps, binder, { change, used, ...(inTransaction && { inTransaction }) })
}

/**
 * Throws `email_taken` or `identity_taken` if another user has it. Throws `identity_unconfirmed`
 * for administrators: a server another person configured could bind an identity of its choice.
 */
export async function bind(
  deps: AdminDeps,
  binder: CallerContext,
  { change, used, inTransaction }: { change: UserChange; used: UsedWay } & TransactionHook,
) {
  const { database } = deps
  const { id } = binder.caller
  try {
    await database.transaction(async (tx) => {
      await lockUser(tx, database.kind, { id })
      // The session or role may have ended while the other server responded.
      const { role } = await reauthorize(tx, deps, binder)
      await requireConfirmedWay(tx, used, role)
      await inTransaction?.(tx)
      await updateUser(tx, id, change)
    })
  } catch (error) {
    throw toAppError(error, undefined)
  }
}
