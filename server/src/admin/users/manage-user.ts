import { AppError, ROLE, USER_STATUS, type UserAction, whyNot } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { forgetOrders } from '../../store/recent-order.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { lockUser, updateUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { removeUser } from './remove-user.ts'

export type Managed = { role: number; status: number }

export async function manageUser(
  deps: AdminDeps,
  context: CallerContext,
  { username, action }: { username: string; action: UserAction },
): Promise<Managed> {
  const { database } = deps
  const managed = await database.changeAccounts(async (tx) => {
    const user = await lockUser(tx, database.kind, { username })
    if (!user) throw new AppError('user_not_found')
    const refusal = whyNot(action, await reauthorize(tx, deps, context), user)
    if (refusal) throw new AppError(refusal)
    return apply(tx, user, action)
  })
  if (action === 'delete') forgetOrders(database.kysely)
  return managed
}

async function apply(tx: Tx, user: Managed & { id: number }, action: UserAction): Promise<Managed> {
  const { id, role, status } = user
  switch (action) {
    case 'promote':
      // A stolen session or token of an ordinary account must not gain administrator rights.
      await updateUser(tx, id, { role: ROLE.admin, access_token_hash: null })
      await deleteSessionsOf(tx, id)
      return { role: ROLE.admin, status }
    case 'demote':
      await updateUser(tx, id, { role: ROLE.user })
      await deleteSessionsOf(tx, id)
      return { role: ROLE.user, status }
    case 'enable':
      await updateUser(tx, id, { status: USER_STATUS.enabled })
      return { role, status: USER_STATUS.enabled }
    case 'disable':
      await updateUser(tx, id, { status: USER_STATUS.disabled })
      await deleteSessionsOf(tx, id)
      return { role, status: USER_STATUS.disabled }
    case 'delete':
      await removeUser(tx, id)
      return { role, status: USER_STATUS.deleted }
  }
}
