import { newAccessToken } from '../../secrets.ts'
import { lockUser, updateUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

/** Replaces the previous token. Only a hash of the token is stored. */
export async function createAccessToken(
  deps: Pick<AdminDeps, 'database' | 'secrets' | 'now'>,
  context: CallerContext,
): Promise<string> {
  const { database, secrets } = deps
  const { id } = context.caller
  const token = newAccessToken()
  await database.transaction(async (tx) => {
    // An intruder who is being locked out right now must not keep a way in.
    await lockUser(tx, database.kind, { id })
    await reauthorize(tx, deps, context)
    await updateUser(tx, id, { access_token_hash: secrets.hashAccessToken(token) })
  })
  return token
}
