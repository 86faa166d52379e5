import { AppError } from '@tollgate/contract'
import { newAccessToken } from '../../secrets.ts'
import { lockUser, updateUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'

/** Ends the token there was; only a hash of the new one is kept. */
export async function createAccessToken(
  { database, secrets }: AdminDeps,
  userId: number,
): Promise<string> {
  const token = newAccessToken()
  await database.transaction(async (tx) => {
    if (!(await lockUser(tx, database.kind, { id: userId }))) throw new AppError('not_signed_in')
    await updateUser(tx, userId, { access_token_hash: secrets.hashAccessToken(token) })
  })
  return token
}
