import { listServedModels } from '../../store/abilities.ts'
import type { AdminDeps } from '../deps.ts'
import { groupsOf } from '../own-groups.ts'

/** Models for which at least one of the user's groups has an enabled channel, sorted. */
export async function ownModels(deps: AdminDeps, userId: number): Promise<string[]> {
  const models = await listServedModels(deps.database.kysely, await groupsOf(deps, userId))
  return models.toSorted()
}
