import { CHANNEL_STATUS } from '@tollgate/contract'
import { deleteAbilities } from '../../store/abilities.ts'
import { deleteChannelsIn } from '../../store/channels.ts'
import { listLocked } from '../../store/managed-objects.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'

export function deleteDisabledChannels(deps: AdminDeps, context: CallerContext): Promise<number> {
  const { disabled, autoDisabled } = CHANNEL_STATUS
  return deps.database.change(async (tx) => {
    // Deleting the channels first waits for running edits, whose abilities are then found.
    const { objects } = await listLocked(tx, 'channel')
    const except = objects.map(({ channel_id }) => channel_id)
    const ids = await deleteChannelsIn(tx, { statuses: [disabled, autoDisabled], except })
    await reauthorize(tx, deps, context)
    for (const id of ids) await deleteAbilities(tx, id)
    return ids.length
  })
}
