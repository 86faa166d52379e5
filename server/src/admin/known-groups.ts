import { AppError } from '@tollgate/contract'
import type { Settings } from '../settings/settings.ts'
import { commaList } from './comma-list.ts'

/** Every group that has a price, sorted. */
export const knownGroups = (settings: Settings) =>
  Object.keys(settings.current().GroupRatio).toSorted()

/** Throws unless the list names at least one group and only such that have a price. */
export function requireKnownGroups(settings: Settings, list: string): string {
  const groups = commaList(list)
  const known = knownGroups(settings)
  const unknown = groups.length === 0 ? '' : groups.find((group) => !known.includes(group))
  if (unknown === undefined) return groups.join(',')
  throw new AppError('group_unknown', { group: unknown, known: known.join(', ') })
}
