import { groupRatioOf, modelRatio, type PricedOptions } from '../../domain/find-price.ts'
import { isFree } from '../../domain/price.ts'
import type { Caller } from '../intake/authenticate.ts'
import { mayUseModel } from '../intake/identify.ts'
import type { ChannelRegistry, LiveChannel } from '../routing/channel-registry.ts'

type FreeModels = ReadonlySet<string>
type ByGroup = Map<string, FreeModels>

/** Options and registries never change: a change replaces them. So both may be keys of a cache. */
const freeModelsCache = new WeakMap<PricedOptions, WeakMap<ChannelRegistry, ByGroup>>()

/** Whether the caller may use a free model. If not, an empty balance pays for no request. */
export function canUseFreeModel(
  { user, token, pinned }: Caller,
  registry: ChannelRegistry,
  options: PricedOptions,
): boolean {
  // A pinned channel is asked for any model.
  if (pinned !== null) return true
  const { groups } = user
  return groups.some((group) => {
    const models = freeModels(group, registry, options)
    return token.models.size === 0
      ? models.size > 0
      : [...models].some((model) => mayUseModel(token, model))
  })
}

function freeModels(group: string, registry: ChannelRegistry, options: PricedOptions): FreeModels {
  const byRegistry = freeModelsCache.get(options) ?? new WeakMap<ChannelRegistry, ByGroup>()
  freeModelsCache.set(options, byRegistry)
  const byGroup = byRegistry.get(registry) ?? new Map<string, FreeModels>()
  byRegistry.set(registry, byGroup)
  const models = byGroup.get(group) ?? findFreeModels(group, registry, options)
  byGroup.set(group, models)
  return models
}

function findFreeModels(
  group: string,
  registry: ChannelRegistry,
  options: PricedOptions,
): FreeModels {
  const groupRatio = groupRatioOf(group, options)
  const isFreeAt = (ratio: number | null) => ratio !== null && isFree(ratio, groupRatio)
  const models = new Set<string>()
  for (const [requested, channels] of registry.offers(group)) {
    // The price of the requested name applies, else that of the mapped name, else the default.
    const ratio = modelRatio(requested, options)
    const hasFree =
      ratio === undefined
        ? mappedNames(requested, channels).some((name) =>
            isFreeAt(modelRatio(name, options) ?? options.DefaultModelRatio),
          )
        : isFreeAt(ratio)
    if (hasFree) models.add(requested)
  }
  return models
}

/** Channels of a model share few mapped names. */
const mappedNames = (requested: string, channels: readonly LiveChannel[]) => [
  ...new Set(channels.map(({ mapping }) => mapping.get(requested) ?? requested)),
]
