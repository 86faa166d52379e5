import { AppError, type OptionValues } from '@tollgate/contract'

export type GroupMove = { readonly from: string; readonly to: string }

/** Options whose tables are by group. */
export const GROUP_TABLES = [
  'GroupRatio',
  'GroupRequestsPerMinute',
  'GroupTokensPerMinute',
  'GroupConcurrentRequests',
] as const

/** New users are in this group. */
const GROUP_DEFAULT = 'default'

/** The tables without the group. Throws if the group cannot be moved. */
export function groupTablesAfter(values: OptionValues, { from, to }: GroupMove) {
  const { GroupRatio } = values
  if (from === GROUP_DEFAULT) throw new AppError('group_needed', { group: from })
  if (from === to) throw new AppError('group_moved_to_itself')
  if (!Object.hasOwn(GroupRatio, from)) {
    const known = Object.keys(GroupRatio).join(', ')
    throw new AppError('group_unknown', { field: 'from', group: from, known })
  }
  const isNew = !Object.hasOwn(GroupRatio, to)
  return GROUP_TABLES.map((key) => {
    const { [from]: moved, ...others } = values[key]
    const table = isNew && moved !== undefined ? { ...others, [to]: moved } : others
    return [key, table] as const
  })
}
