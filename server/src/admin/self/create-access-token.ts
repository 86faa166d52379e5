import { AppError, USER_STATUS } from '@tollgate/contract'
import { newAccessToken } from '../../secrets.ts'
import { findSessionUser } from '../../store/sessions.ts'
import { lockUser, updateUser } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** Ends the token there was; only a hash of the new one is kept. */
export async function createAccessToken(
  deps: Pick<AdminDeps, 'database' | 'secrets' | 'now'>,
  { userId, sessionHash }: { userId: number; sessionHash: string },
): Promise<string> {
  const { database, secrets } = deps
  const token = newAccessToken()
  await database.transaction(async (tx) => {
    // A thief who is being locked out at this moment is not to keep a way in.
    const user = await lockUser(tx, database.kind, { id: userId })
    const isSignedIn =
      sessionHash === '' || (await findSessionUser(tx, sessionHash, nowSeconds(deps)))
    if (user?.status !== USER_STATUS.enabled || !isSignedIn) throw new AppError('not_signed_in')
    await updateUser(tx, userId, { access_token_hash: secrets.hashAccessToken(token) })
  })
  return token
}
