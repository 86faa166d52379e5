import { AppError } from '@tollgate/contract'
import type { Settings } from '../settings/settings.ts'
import { commaList } from './comma-list.ts'

/** Every group that has a price, sorted. */
export const knownGroups = (settings: Settings) =>
  Object.keys(settings.current().GroupRatio).toSorted()

const GROUP_DEFAULT = 'default'

/** Throws unless every group of the list has a price; an empty list means the usual group. */
export function requireKnownGroups(settings: Settings, list: string): string {
  const named = commaList(list)
  const groups = named.length === 0 ? [GROUP_DEFAULT] : named
  const known = knownGroups(settings)
  const unknown = groups.find((group) => !known.includes(group))
  if (unknown === undefined) return groups.join(',')
  throw new AppError('group_unknown', { group: unknown, known: known.join(', ') })
}
