import { AppError, whyNot } from '@tollgate/contract'
import { forgetOrders } from '../../store/recent-order.ts'
import { lockUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { removeUser } from './remove-user.ts'

export async function deleteUser(deps: AdminDeps, context: CallerContext, id: number) {
  const { database } = deps
  await database.changeAccounts(async (tx) => {
    const user = await lockUser(tx, database.kind, { id })
    if (!user) throw new AppError('user_not_found')
    const refusal = whyNot('delete', await reauthorize(tx, deps, context), user)
    if (refusal) throw new AppError(refusal)
    await removeUser(tx, user.id)
  })
  forgetOrders(database.kysely)
}
