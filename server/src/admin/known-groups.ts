import { AppError } from '@tollgate/contract'
import type { Settings } from '../settings/settings.ts'
import { commaList } from './comma-list.ts'
import { GROUP_DEFAULT } from './own-groups.ts'

/** Every group with a ratio, sorted. */
export const knownGroups = (settings: Settings) =>
  Object.keys(settings.current().GroupRatio).toSorted()

/** Throws `group_unknown` unless every group has a ratio. An empty list means the default group. */
export function requireKnownGroups(settings: Settings, list: string): string {
  const named = commaList(list)
  const groups = named.length === 0 ? [GROUP_DEFAULT] : named
  const known = knownGroups(settings)
  const unknown = groups.find((group) => !known.includes(group))
  if (unknown === undefined) return groups.join(',')
  throw new AppError('group_unknown', { group: unknown, known: known.join(', ') })
}
