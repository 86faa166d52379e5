import type { Passwords } from '../../http/password.ts'
import type { Tx } from '../../store/database.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { hasUsername, type UserChange, updateUser } from '../../store/users.ts'
import { requireClearName } from './require-clear-name.ts'
import { toAppError } from './unique-violation.ts'

/** Empty fields keep the stored value. */
export type Profile = {
  username?: string | undefined
  display_name?: string | undefined
  password?: string | undefined
}

/** Column changes of a profile edit. Hashes a new password, so call it before the transaction. */
export async function profileChange(
  { passwords }: { passwords: Passwords },
  profile: Profile,
): Promise<UserChange> {
  const { username = '', display_name = '', password = '' } = profile
  const change: UserChange = {}
  if (username !== '') change.username = username
  if (display_name !== '') change.display_name = display_name
  if (password !== '') {
    change.password_hash = await passwords.hash(password)
    change.access_token_hash = null
  }
  return change
}

/** A new password ends the access token and all sessions except the current one. */
export async function saveProfile(
  tx: Tx,
  userId: number,
  { change, sessionHash }: { change: UserChange; sessionHash: string },
) {
  const { username } = change
  if (username !== undefined && !(await hasUsername(tx, userId, username))) {
    await requireClearName(tx, username)
  }
  await updateUser(tx, userId, change)
  if (change.password_hash !== undefined) await deleteSessionsOf(tx, userId, sessionHash)
}

/** Turns unique violations of names, addresses and identities into their errors. */
export async function withUniqueName<Result>(
  username: string | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw toAppError(error, username)
  }
}
