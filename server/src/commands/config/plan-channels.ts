import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import {
  AppError,
  CHANNEL_STATUS,
  type channelDraft,
  type channelEdit,
  errorText,
} from '@tollgate/contract'
import { isRecord, parseJson } from '@tollgate/relay'
import { hidePasswords } from '../../admin/channels/hidden-passwords.ts'
import { parseKeys } from '../../admin/channels/parse-keys.ts'
import { nameOfType } from './channel-types.ts'
import { configText, typeNumber } from './check-file.ts'
import type { Difference, FieldChange, PlanPart } from './difference.ts'
import type { Fault } from './fault.ts'
import { type ConfigFile, type FileChannel, isReference } from './file-schema.ts'
import type { Installation, StoredChannel } from './installation.ts'
import { type ChannelMatches, matchChannels } from './match-channels.ts'
import { nearestName } from './nearest-name.ts'
import { resolveText } from './references.ts'

type Draft = z.output<typeof channelDraft>
type Edit = z.output<typeof channelEdit>

export type ChannelWrite =
  | { readonly action: 'create'; readonly index: number; readonly draft: Draft }
  | { readonly action: 'update'; readonly index: number; readonly edit: Edit }

export type ChannelsPlan = PlanPart & {
  readonly writes: readonly ChannelWrite[]
  /** Ids by the names of the file; channels to be created have none. */
  readonly ids: ReadonlyMap<string, number>
  /** Channels that an earlier file managed and this file does not name. */
  readonly left: readonly StoredChannel[]
}

export function planChannels(
  file: ConfigFile,
  installation: Installation,
  { env, prunes }: { env: NodeJS.ProcessEnv; prunes: boolean },
): ChannelsPlan {
  const names = file.channels.map(({ name }) => name)
  const plan = new Planner(matchChannels(names, installation), env)
  const groups = [...Object.keys(file.groups), ...Object.keys(installation.values.GroupRatio)]
  for (const [index, channel] of file.channels.entries()) plan.add(channel, index, groups)
  const left = channelsLeft(installation, plan.ids)
  if (prunes) plan.differences.push(...left.map(({ name }) => deletion(name)))
  const { differences, faults, missing, writes, ids } = plan
  return { differences, faults, missing, writes, ids, left }
}

const deletion = (name: string): Difference => ({
  kind: 'channel',
  name,
  action: 'delete',
  fields: [],
})

function channelsLeft(
  { managed, channels }: Installation,
  ids: ReadonlyMap<string, number>,
): StoredChannel[] {
  const before = managed.objects.flatMap(({ kind, channel_id }) =>
    kind === 'channel' ? [channel_id] : [],
  )
  const matched = new Set(ids.values())
  return channels.filter(({ id }) => before.includes(id) && !matched.has(id))
}

class Planner {
  readonly differences: Difference[] = []
  readonly faults: Fault[] = []
  readonly missing: Fault[] = []
  readonly writes: ChannelWrite[] = []
  readonly ids = new Map<string, number>()
  readonly #found: ChannelMatches
  readonly #env: NodeJS.ProcessEnv

  constructor(found: ChannelMatches, env: NodeJS.ProcessEnv) {
    this.#found = found
    this.#env = env
  }

  add(channel: FileChannel, index: number, groups: readonly string[]) {
    const unknown = channel.groups.findIndex((group) => !groups.includes(group))
    if (unknown !== -1) {
      const name = channel.groups[unknown] ?? ''
      const problem = unknownGroup(name, groups)
      this.faults.push({ path: ['channels', index, 'groups', unknown], problem })
    }
    const stored = this.#find(channel, index)
    if (stored !== undefined) this.ids.set(channel.name, stored.id)
    const wanted = this.#resolve(channel, index)
    if (stored === undefined) return this.#create(channel, index, wanted)
    this.#update({ channel, index, wanted, stored })
  }

  #find({ name }: FileChannel, index: number): StoredChannel | undefined {
    const twins = this.#found.ambiguous.get(name)
    if (twins === undefined) return this.#found.matches.get(name)
    const ids = twins.map(({ id }) => id).join(', ')
    const problem = `is the name of several channels, with the ids ${ids}; rename all but one`
    this.faults.push({ path: ['channels', index, 'name'], problem })
    return twins[0]
  }

  #text(text: string, path: Fault['path']): string | null {
    const found = resolveText(text, this.#env)
    if ('value' in found) return found.value
    this.missing.push({ path, problem: found.missing })
    return null
  }

  #resolve(channel: FileChannel, index: number): Wanted {
    const at = (...rest: (string | number)[]) => ['channels', index, ...rest]
    const type = typeNumber(channel.type) ?? 0
    const references = channel.keys ?? [channel.key ?? '']
    const keyPath = (position: number) =>
      channel.keys === undefined ? at('key') : at('keys', position)
    const keys = references.map((reference, position) => this.#text(reference, keyPath(position)))
    return {
      type,
      keys: keys.includes(null) ? null : this.#keys(keys.join('\n'), type, at('key')),
      base_url: this.#text(channel.base_url, at('base_url')),
      config: this.#config(channel.config, at('config')),
    }
  }

  #keys(text: string, type: number, path: Fault['path']): string[] {
    try {
      const keys = parseKeys(text, type)
      if (keys.length > 0) return keys
      this.faults.push({ path, problem: 'must not be empty' })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.faults.push({ path, problem: errorText(error.code, error.params, 'en') })
    }
    return []
  }

  #config(config: FileChannel['config'], path: Fault['path']): string | null {
    const { proxy, headers } = config
    const resolved = { ...config }
    if (typeof proxy === 'string') resolved['proxy'] = this.#text(proxy, [...path, 'proxy'])
    if (typeof headers === 'object' && headers !== null) {
      resolved['headers'] = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          this.#text(String(value), [...path, 'headers', name]),
        ]),
      )
    }
    return hasNull(resolved['proxy'], resolved['headers']) ? null : configText(resolved)
  }

  #create(channel: FileChannel, index: number, { type, keys, base_url, config }: Wanted) {
    const fields = [
      { field: 'type', after: nameOfType(type) },
      { field: 'models', after: channel.models },
      { field: 'groups', after: channel.groups },
      { field: 'key', isSecret: true },
    ] as const
    this.differences.push({ kind: 'channel', name: channel.name, action: 'create', fields })
    if (keys === null || base_url === null || config === null) return
    const draft = {
      ...columnsOf(channel),
      type,
      key: keys.join('\n'),
      multi_key: true,
      base_url,
      config,
      status: channel.status === 'disabled' ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled,
    }
    this.writes.push({ action: 'create', index, draft })
  }

  #update({ channel, index, wanted, stored }: Compared) {
    const fields = [
      ...plainChanges(channel, stored, wanted),
      ...placeChanges(channel, stored, wanted),
      ...keyChanges(stored, wanted),
    ]
    if (fields.length === 0) return
    this.differences.push({ kind: 'channel', name: channel.name, action: 'update', fields })
    const { type, base_url, config, keys } = wanted
    if (keys === null || base_url === null || config === null) return
    const changed = new Set(fields.map(({ field }) => field))
    const status = channel.status === 'disabled' ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled
    // Another address needs the key and the headers again, as in the form.
    const needsKey = ['key', 'type', 'base_url', 'config'].some((field) => changed.has(field))
    const edit: Edit = {
      id: stored.id,
      ...columnsOf(channel),
      type,
      base_url,
      config: needsKey ? config : undefined,
      status: changed.has('status') ? status : undefined,
      key: needsKey ? keys.join('\n') : undefined,
    }
    this.writes.push({ action: 'update', index, edit })
  }
}

const hasNull = (proxy: unknown, headers: unknown) =>
  proxy === null || (isRecord(headers) && Object.values(headers).includes(null))

/** Null for a member with a reference that has no value. */
type Wanted = {
  readonly type: number
  readonly keys: readonly string[] | null
  readonly base_url: string | null
  readonly config: string | null
}

type Compared = {
  readonly channel: FileChannel
  readonly index: number
  readonly wanted: Wanted
  readonly stored: StoredChannel
}

function unknownGroup(name: string, groups: readonly string[]): string {
  const nearest = nearestName(name, groups)
  const hint = nearest === null ? `known groups: ${[...new Set(groups)].join(', ')}` : null
  return `is an unknown group; ${hint ?? `did you mean "${nearest}"?`}`
}

const columnsOf = ({
  name,
  models,
  groups,
  tag,
  other,
  model_mapping,
  priority,
  weight,
}: FileChannel) => ({
  name,
  models: models.join(','),
  group: groups.join(','),
  tag,
  other,
  model_mapping: configText(model_mapping),
  priority,
  weight,
})

const change = (field: string, before: unknown, after: unknown): FieldChange[] =>
  isDeepStrictEqual(before, after) ? [] : [{ field, before, after }]

/** An empty text stands for no entries. */
const objectIn = (json: string): unknown => (json === '' ? {} : parseJson(json))

function plainChanges(channel: FileChannel, stored: StoredChannel, { type }: Wanted) {
  return [
    ...change('name', stored.name, channel.name),
    ...change('type', nameOfType(stored.type), nameOfType(type)),
    ...change('models', stored.models.split(','), channel.models),
    ...change('groups', stored.group.split(','), channel.groups),
    ...change('tag', stored.tag, channel.tag),
    ...change('other', stored.other, channel.other),
    ...change('model_mapping', objectIn(stored.model_mapping), { ...channel.model_mapping }),
    ...change('priority', stored.priority, channel.priority),
    ...change('weight', stored.weight, channel.weight),
    ...statusChange(channel, stored),
  ]
}

/** A channel that the gateway has disabled counts as enabled: it comes back by itself. */
function statusChange({ status }: FileChannel, stored: StoredChannel): FieldChange[] {
  if (status === undefined) return []
  const before = stored.status === CHANNEL_STATUS.disabled ? 'disabled' : 'enabled'
  return change('status', before, status)
}

/** Passwords, queries and headers are masked on both sides. */
function placeChanges(channel: FileChannel, stored: StoredChannel, wanted: Wanted): FieldChange[] {
  const { base_url, config } = wanted
  const before = hidePasswords(stored)
  const after = hidePasswords({ base_url: base_url ?? '', config: config ?? '' })
  const isAddressSecret = isReference(channel.base_url) || before.base_url === after.base_url
  const [oldConfig, newConfig] = [objectIn(before.config), objectIn(after.config)]
  const isConfigSecret = isDeepStrictEqual(oldConfig, newConfig)
  const hasOtherConfig =
    config !== null && !isDeepStrictEqual(objectIn(stored.config), objectIn(config))
  return [
    ...(base_url === null || base_url === stored.base_url
      ? []
      : [secretOr(isAddressSecret, 'base_url', before.base_url, after.base_url)]),
    ...(hasOtherConfig ? [secretOr(isConfigSecret, 'config', oldConfig, newConfig)] : []),
  ]
}

const secretOr = (isSecret: boolean, field: string, before: unknown, after: unknown): FieldChange =>
  isSecret ? { field, isSecret } : { field, before, after }

const keyChanges = ({ keys: stored }: StoredChannel, { keys }: Wanted): FieldChange[] =>
  keys === null || isDeepStrictEqual(stored, keys) ? [] : [{ field: 'key', isSecret: true }]
