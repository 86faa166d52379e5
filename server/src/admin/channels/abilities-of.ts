import { AppError } from '@tollgate/contract'
import { commaList } from '../comma-list.ts'

const MODELS_MAX = 1000
const GROUPS_MAX = 50

export type Served = { groups: string[]; models: string[] }

/** The groups and models a channel serves. Throws if either list is empty or too long. */
export function abilitiesOf({ group, models }: { group: string; models: string }): Served {
  const served = { groups: commaList(group), models: commaList(models) }
  if (served.models.length === 0) throw new AppError('field_missing', { field: 'models' })
  if (served.groups.length === 0) throw new AppError('field_missing', { field: 'group' })
  if (served.models.length > MODELS_MAX) {
    throw new AppError('too_many_items', { field: 'models', limit: MODELS_MAX })
  }
  if (served.groups.length > GROUPS_MAX) {
    throw new AppError('too_many_items', { field: 'group', limit: GROUPS_MAX })
  }
  return served
}
