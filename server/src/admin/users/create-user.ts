import { AppError } from '@tollgate/contract'
import { findUser, isUsernameTaken, type ShownUser } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { createAccount, withNewAccount } from './create-account.ts'

type Draft = { username: string; password: string; display_name: string }

/** An account created by an administrator, without an inviter. */
export async function createUser(
  deps: AdminDeps,
  { asking, draft }: { asking: CallerContext; draft: Draft },
): Promise<ShownUser> {
  const { username, display_name } = draft
  if (await isUsernameTaken(deps.database.kysely, username)) {
    throw new AppError('username_taken', { username })
  }
  const password_hash = await deps.passwords.hash(draft.password)
  return withNewAccount(deps, { username }, async (tx) => {
    const account = { username, password_hash, display_name, actorId: asking.caller.id }
    const id = await createAccount(tx, deps, account)
    await reauthorize(tx, deps, asking)
    const user = await findUser(tx, id)
    if (!user) throw new Error('a new user is not there')
    return user
  })
}
