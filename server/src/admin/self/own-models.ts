import { listServedModels } from '../../store/abilities.ts'
import { findUser } from '../../store/users.ts'
import { commaList } from '../comma-list.ts'
import type { AdminDeps } from '../deps.ts'

const GROUP_DEFAULT = 'default'

/** Models for which at least one of the user's groups has an enabled channel, sorted. */
export async function ownModels({ database }: AdminDeps, userId: number): Promise<string[]> {
  const groups = commaList((await findUser(database.kysely, userId))?.group ?? '')
  const models = await listServedModels(
    database.kysely,
    groups.length === 0 ? [GROUP_DEFAULT] : groups,
  )
  return models.toSorted()
}
