import type { Logger } from 'pino'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  type ChannelOffer,
  channelAddressFault,
  descriptorOf,
  isServable,
  type ProviderDescriptor,
} from '@tollgate/relay'
import type { Clock } from '../../clock.ts'
import { versionOf } from '../../domain/channel-health.ts'
import { readMapping } from '../../domain/model-mapping.ts'
import type { Candidate } from '../../domain/retry-policy.ts'
import type { Secrets } from '../../secrets.ts'
import type { Database } from '../../store/database.ts'
import { openSnapshot } from '../../store/snapshot.ts'
import { splitKeys } from '../../upstream/channel-keys.ts'
import { type ChannelOverrides, overridesOf } from '../../upstream/channel-overrides.ts'
import { proxyOf } from '../../upstream/channel-proxy.ts'
import { ApiMemory } from './api-memory.ts'
import { KeyRing } from './key-ring.ts'

/** An enabled, servable channel with its decrypted keys. */
export type LiveChannel = {
  readonly id: number
  readonly descriptor: ProviderDescriptor
  readonly keys: KeyRing
  /** The stored value; differs after the keys were replaced. */
  readonly keySealed: string
  /** A different version invalidates what was learned about the channel. */
  readonly version: string
  /** Number of the read that first saw this version; later versions have greater numbers. */
  readonly firstRead: number
  readonly baseUrl: string
  readonly other: string
  readonly proxy: string | null
  readonly apiMemory: ApiMemory
  /** Why the channel's addresses cannot be used; null if they can. */
  readonly addressFault: string | null
  readonly config: string
  readonly overrides: ChannelOverrides
  readonly priority: number
  readonly weight: number
  readonly mapping: ReadonlyMap<string, string>
}

export type Target = Candidate & { readonly channel: LiveChannel }

/** A channel chosen for a request. `priority` may differ from the channel's own. */
type Chosen = { readonly channel: LiveChannel; readonly priority: number; readonly weight: number }

const NO_CHANNELS: readonly LiveChannel[] = []
const NO_TARGETS: readonly Target[] = []
const NO_OFFERS: ReadonlyMap<string, readonly LiveChannel[]> = new Map()

/** A snapshot of which channel serves which model to which group. */
export class ChannelRegistry {
  readonly #groups = new Map<string, Map<string, LiveChannel[]>>()
  readonly #channels: ReadonlyMap<number, LiveChannel>
  readonly #ids: ReadonlySet<number>
  /** The targets of `targets`, by the list of their channels. */
  readonly #targets = new Map<readonly LiveChannel[], Map<ChannelOffer, readonly Target[]>>()
  /** Models of channels that were switched off automatically and may come back, by group. */
  readonly #paused = new Map<string, Set<string>>()

  /** `ids` contains every channel, including those that cannot be called now. */
  constructor(channels: ReadonlyMap<number, LiveChannel>, ids: ReadonlySet<number>) {
    this.#channels = channels
    this.#ids = ids
  }

  has(id: number): boolean {
    return this.#ids.has(id)
  }

  channel(id: number): LiveChannel | undefined {
    return this.#channels.get(id)
  }

  /**
   * Replaces channels chosen from an earlier registry with their current state. Leaves out channels
   * that were deleted, disabled, or changed in key, address or type.
   */
  refresh<Some extends Chosen>(chosen: readonly Some[]): Some[] {
    return chosen.flatMap((target) => {
      const previous = target.channel
      const channel = this.#channels.get(previous.id)
      if (channel?.version !== previous.version || channel.descriptor !== previous.descriptor)
        return []
      const priority = target.priority + channel.priority - previous.priority
      return [{ ...target, channel, priority, weight: channel.weight }]
    })
  }

  add(group: string, model: string, channel: LiveChannel) {
    const models = this.#groups.get(group) ?? new Map<string, LiveChannel[]>()
    this.#groups.set(group, models)
    const channels = models.get(model)
    if (channels) channels.push(channel)
    else models.set(model, [channel])
  }

  addPaused(group: string, model: string) {
    const models = this.#paused.get(group) ?? new Set<string>()
    this.#paused.set(group, models.add(model))
  }

  isPaused(group: string, model: string): boolean {
    return this.#paused.get(group)?.has(model) === true
  }

  channels(group: string, model: string): readonly LiveChannel[] {
    return this.#groups.get(group)?.get(model) ?? NO_CHANNELS
  }

  /** Channels with the model and the endpoint: the same list for each request. */
  targets(group: string, model: string, endpoint: ChannelOffer): readonly Target[] {
    const channels = this.channels(group, model)
    if (channels.length === 0) return NO_TARGETS
    const known = this.#targets.get(channels) ?? new Map<ChannelOffer, readonly Target[]>()
    this.#targets.set(channels, known)
    const targets =
      known.get(endpoint) ??
      channels
        .filter(({ descriptor }) => descriptor.supports.includes(endpoint))
        .map((channel) => targetOf(channel, model))
    known.set(endpoint, targets)
    return targets
  }

  offers(group: string): ReadonlyMap<string, readonly LiveChannel[]> {
    return this.#groups.get(group) ?? NO_OFFERS
  }

  models(groups: readonly string[]): Set<string> {
    return new Set(groups.flatMap((group) => [...(this.#groups.get(group)?.keys() ?? [])]))
  }
}

export const targetOf = (channel: LiveChannel, model: string): Target => ({
  channel,
  id: channel.id,
  priority: channel.priority,
  weight: channel.weight,
  upstreamModel: channel.mapping.get(model) ?? model,
})

export type ChannelRegistryDeps = {
  database: Database
  secrets: Secrets
  log: Logger
  clock: Clock
}

/**
 * Returns a getter for the current registry, which stays at the last read while the database is
 * away.
 */
export async function openChannelRegistry(
  deps: ChannelRegistryDeps,
): Promise<() => ChannelRegistry> {
  let last = new ChannelRegistry(new Map(), new Set())
  let reads = 0
  const read = async () => {
    reads += 1
    return (last = await readRegistry(deps, last, reads))
  }
  const { current } = await openSnapshot({ ...deps, what: 'channels', read })
  return current
}

/** An unchanged channel keeps its key ring. */
async function readRegistry(
  { database, secrets, log, clock }: ChannelRegistryDeps,
  last: ChannelRegistry,
  read: number,
): Promise<ChannelRegistry> {
  const rows = await database.kysely
    .selectFrom('channels')
    .select([
      'id',
      'type',
      'key_sealed',
      'base_url',
      'other',
      'priority',
      'weight',
      'model_mapping',
    ])
    .select(['config', 'status', 'status_time'])
    .execute()
  const abilities = await database.kysely
    .selectFrom('abilities')
    .select(['group', 'model', 'channel_id'])
    .orderBy('model')
    .orderBy('channel_id')
    .execute()

  const channels = new Map<number, LiveChannel>()
  for (const row of rows) {
    const descriptor = descriptorOf(row.type)
    if (row.status !== CHANNEL_STATUS.enabled) continue
    if (descriptor === undefined || !isServable(row.type)) continue
    const known = last.channel(row.id)
    const version = versionOf(row)
    const same = known?.version === version ? known : undefined
    const proxy = proxyOf(row.config)
    try {
      channels.set(row.id, {
        id: row.id,
        descriptor,
        keys: same?.keys ?? new KeyRing(splitKeys(secrets.openChannelKey(row.key_sealed)), clock),
        keySealed: row.key_sealed,
        version,
        firstRead: same?.firstRead ?? read,
        baseUrl: row.base_url,
        other: row.other,
        proxy,
        apiMemory: same?.apiMemory ?? new ApiMemory(clock),
        addressFault: channelAddressFault({ type: row.type, baseUrl: row.base_url, proxy }),
        config: row.config,
        overrides: known?.config === row.config ? known.overrides : overridesOf(row.config),
        priority: row.priority,
        weight: row.weight,
        mapping: readMapping(row.model_mapping),
      })
    } catch (error) {
      log.warn({ error, channel: row.id }, 'the key of a channel cannot be decrypted')
    }
  }

  const registry = new ChannelRegistry(channels, new Set(rows.map(({ id }) => id)))
  const isPaused = ({ status }: { status: number }) => status === CHANNEL_STATUS.autoDisabled
  const paused = new Set(rows.filter(isPaused).map(({ id }) => id))
  for (const { group, model, channel_id } of abilities) {
    const channel = channels.get(channel_id)
    if (channel) registry.add(group, model, channel)
    else if (paused.has(channel_id)) registry.addPaused(group, model)
  }
  return registry
}
