import type { ManagedKind, OptionValues } from '@tollgate/contract'
import type { ManagedObject } from '../../store/managed-objects.ts'
import { type Difference, joinParts, type PlanPart } from './difference.ts'
import type { ConfigFile } from './file-schema.ts'
import type { Installation } from './installation.ts'
import { type ChannelsPlan, planChannels } from './plan-channels.ts'
import { planValues, wantedOptions } from './plan-values.ts'

export type Plan = PlanPart & {
  readonly after: OptionValues
  readonly channels: ChannelsPlan
  /** Names of channels that the file no longer names and that stay. */
  readonly released: readonly string[]
}

type Rules = { readonly env: NodeJS.ProcessEnv; readonly prunes: boolean }

/** Compares an installation with a file. */
export function makePlan(file: ConfigFile, installation: Installation, rules: Rules): Plan {
  const values = planValues(file, installation, rules.env)
  const channels = planChannels(file, installation, rules)
  const { isLocked } = installation.managed
  const locked: Difference[] =
    isLocked === file.locked
      ? []
      : [
          {
            kind: 'file',
            name: 'locked',
            action: 'update',
            fields: [{ field: '', before: isLocked, after: file.locked }],
          },
        ]
  const own: PlanPart = { differences: locked, faults: [], missing: [] }
  return {
    ...joinParts([own, values, channels]),
    after: values.after,
    channels,
    released: rules.prunes ? [] : channels.left.map(({ name }) => name),
  }
}

/** What the file manages once it is applied; channels by the ids that their names have now. */
export function managedBy(file: ConfigFile, ids: ReadonlyMap<string, number>): ManagedObject[] {
  const objects = (kind: ManagedKind, names: Iterable<string>) =>
    [...new Set(names)].map((name) => ({ kind, name, channel_id: 0 }))
  return [
    ...objects(
      'option',
      wantedOptions(file).map(({ key }) => key),
    ),
    ...objects('group', Object.keys(file.groups)),
    ...objects('price', Object.keys(file.prices)),
    ...[...ids].map(([name, channel_id]) => ({ kind: 'channel' as const, name, channel_id })),
  ]
}
