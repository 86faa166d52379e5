import type { Managed, ManagedKind } from '@tollgate/contract'
import type { ManagedFile } from '../../store/managed-objects.ts'

export function presentManaged({ file, isLocked, appliedAt, objects }: ManagedFile): Managed {
  const namesOf = (wanted: ManagedKind) =>
    objects.flatMap(({ kind, name }) => (kind === wanted ? [name] : []))
  return {
    file,
    locked: isLocked,
    applied_at: appliedAt,
    options: namesOf('option'),
    groups: namesOf('group'),
    prices: namesOf('price'),
    channels: objects.flatMap(({ channel_id: id }) => (id === 0 ? [] : [id])),
  }
}
