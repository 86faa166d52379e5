import { AppError, channelDraft, errorText, firstProblem, parseIn } from '@tollgate/contract'
import { settingsProblem } from '@tollgate/contract/channel-settings'
import { requireServedType } from '../../admin/channels/require-served-type.ts'
import { requireUsableSettings } from '../../admin/channels/require-usable-settings.ts'
import { CHANNEL_TYPES, typeOfName } from './channel-types.ts'
import type { Fault } from './fault.ts'
import { type ConfigFile, type FileChannel, isReference } from './file-schema.ts'
import { nearestName } from './nearest-name.ts'

/** Rules between members, which need neither the installation nor the secrets. */
export function checkFile({ channels }: ConfigFile): readonly Fault[] {
  const seen = new Set<string>()
  return channels.flatMap((channel, index) => {
    const at = (field: string, problem: string): Fault => ({
      path: ['channels', index, field],
      problem,
    })
    const isRepeated = seen.has(channel.name)
    seen.add(channel.name)
    return [
      ...(isRepeated ? [at('name', `is the name of another channel: "${channel.name}"`)] : []),
      ...keyFaults(channel).map((problem) => at('key', problem)),
      ...configFaults(channel, index),
    ]
  })
}

function keyFaults({ key, keys }: FileChannel): string[] {
  if (key === undefined && keys === undefined) return ['it is missing; write key or keys']
  return key !== undefined && keys !== undefined ? ['must not come with keys'] : []
}

function configFaults(channel: FileChannel, index: number): Fault[] {
  const path = ['channels', index] as const
  const type = typeNumber(channel.type)
  if (type === null) return [{ path: [...path, 'type'], problem: unknownType(channel.type) }]
  const found = settingsProblem(channel.config)
  if (found !== null) {
    const field = [...path, 'config', ...found.field.split('.')]
    return [{ path: field, problem: found.problem.en }]
  }
  // The address of the proxy may be a reference, which has no form to check.
  const { proxy, ...others } = channel.config
  const isReferred = typeof proxy === 'string' && isReference(proxy)
  const config = configText(isReferred ? others : channel.config)
  const parsed = parseIn(channelDraft.shape.config, config, 'en')
  if (!parsed.success) {
    return [{ path: [...path, 'config'], problem: firstProblem(parsed.error, 'en').problem }]
  }
  const problem = problemIn(() => {
    requireServedType({ type, base_url: channel.base_url })
    requireUsableSettings({ type, config })
  })
  return problem === null ? [] : [{ path: [...path, 'type'], problem }]
}

function unknownType(type: FileChannel['type']): string {
  const nearest = nearestName(String(type), CHANNEL_TYPES)
  return nearest === null
    ? `is unknown; known types: ${CHANNEL_TYPES.join(', ')}`
    : `is unknown; did you mean "${nearest}"?`
}

/** The text of the error that the API would return; null for none. */
function problemIn(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof AppError) return errorText(error.code, error.params, 'en')
    throw error
  }
}

export const configText = (config: Readonly<Record<string, unknown>>) =>
  Object.keys(config).length === 0 ? '' : JSON.stringify(config)

/** Null for an unknown name. */
export const typeNumber = (type: FileChannel['type']): number | null =>
  typeof type === 'number' ? type : (typeOfName(type) ?? null)
