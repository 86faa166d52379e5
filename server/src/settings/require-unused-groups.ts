import { AppError, type OptionKey, type OptionValues } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import { countGroupUse } from '../store/group-use.ts'

/** New users are in this group. */
const GROUP_DEFAULT = 'default'

/**
 * A group without a ratio has ratio 1, so a group in use must keep its ratio. Throws `group_in_use`
 * or `group_needed`.
 */
export async function requireUnusedGroups(
  tx: Tx,
  { key, before, after }: { key: OptionKey; before: OptionValues; after: OptionValues },
) {
  if (key !== 'GroupRatio') return
  const removed = Object.keys(before.GroupRatio).filter(
    (group) => !Object.hasOwn(after.GroupRatio, group),
  )
  for (const group of removed) {
    if (group === GROUP_DEFAULT) throw new AppError('group_needed', { group })
    const { users, channels } = await countGroupUse(tx, group)
    if (users + channels > 0) throw new AppError('group_in_use', { group, users, channels })
  }
}
