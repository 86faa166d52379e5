import { findUser } from '../store/users.ts'
import { commaList } from './comma-list.ts'
import type { AdminDeps } from './deps.ts'

export const GROUP_DEFAULT = 'default'

/** The groups whose channels serve the user, in routing order. */
export async function groupsOf({ database }: AdminDeps, userId: number): Promise<string[]> {
  const groups = commaList((await findUser(database.kysely, userId))?.group ?? '')
  return groups.length === 0 ? [GROUP_DEFAULT] : groups
}
