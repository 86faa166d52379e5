import { AppError, whyNot } from '@tollgate/contract'
import type { Caller } from '../../http/session.ts'
import { lockUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { removeUser } from './remove-user.ts'

export async function deleteUser({ database }: AdminDeps, actor: Caller, id: number) {
  await database.changeAccounts(async (tx) => {
    const user = await lockUser(tx, database.kind, { id })
    if (!user) throw new AppError('user_not_found')
    const refusal = whyNot('delete', actor, user)
    if (refusal) throw new AppError(refusal)
    await removeUser(tx, user.id)
  })
}
