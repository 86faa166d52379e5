import { AppError, type TestEndpoint } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay'
import { mappedModel } from '../domain/model-mapping.ts'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
import { keyFingerprint, readKeys, splitKeys } from './channel-keys.ts'
import { overridesOf } from './channel-overrides.ts'
import { probePlan, testRank } from './probe-plan.ts'
import { probeChannel, type ProbeResult } from './probe.ts'
import type { Upstream } from './send.ts'

type Deps = { secrets: Secrets; settings: Settings; upstream: Upstream; now: () => number }

type StoredChannel = {
  type: number
  key_sealed: string
  base_url: string
  other: string
  config: string
  models: string
  model_mapping: string
}

type Chosen = {
  model?: string | undefined
  endpoint?: TestEndpoint | undefined
  /** The fingerprint of the only key to probe, which may be disabled. */
  keyId?: string | undefined
  signal?: AbortSignal | undefined
}

/** After this time no further keys and models of the channel are probed. */
const KEYS_MS_MAX = 60_000
/** A channel of models that cannot be tested is given up after so many. */
const MODELS_MAX = 3

/**
 * Probes a channel with `model`, or with the models that are best to test if it does not have that
 * one. A model that cannot be tested gives way to the next. Tries keys in order until one is not
 * refused.
 */
export async function probeStored(
  deps: Deps,
  channel: StoredChannel,
  { model = '', endpoint, keyId, signal }: Chosen,
): Promise<ProbeResult> {
  const joined = deps.secrets.openChannelKey(channel.key_sealed)
  const keys = keyId === undefined ? splitKeys(joined) : [keyWithId(joined, keyId)]
  const deadline = deps.now() + KEYS_MS_MAX
  const [first = '', ...others] = modelsToTest(channel, model)
  const probe = (tested: string) =>
    probeKeys(deps, channel, { keys, model: tested, endpoint, signal, deadline })
  const firstResult = await probe(first)
  if (firstResult.outcome !== 'untestable') return firstResult
  for (const other of others) {
    if (deps.now() > deadline) break
    const result = await probe(other)
    if (result.outcome !== 'untestable') return result
  }
  return firstResult
}

function keyWithId(joined: string, id: string): string {
  const found = readKeys(joined).find(({ key }) => keyFingerprint(key) === id)
  if (found === undefined) throw new AppError('key_not_found')
  return found.key
}

type KeysToProbe = Chosen & { model: string; keys: readonly string[]; deadline: number }

async function probeKeys(
  { settings, upstream, now }: Deps,
  channel: StoredChannel,
  { keys, model, endpoint, signal, deadline }: KeysToProbe,
): Promise<ProbeResult> {
  const { ServerAddress: siteUrl, SystemName: siteName } = settings.current()
  const probeWith = (key: string) =>
    probeChannel({
      upstream,
      channel: { ...channel, key },
      model,
      endpoint,
      siteUrl,
      siteName,
      now,
      signal,
    })
  const [first = '', ...others] = keys
  let result = await probeWith(first)
  for (const key of others) {
    if (!result.namesKey) break
    // The keys that were not probed may be valid.
    if (now() > deadline) return { ...result, namesKey: false }
    result = await probeWith(key)
  }
  return result
}

/** The wanted model, or the best to test. Old front ends send the same model for all channels. */
function modelsToTest(channel: StoredChannel, wanted: string): readonly string[] {
  const { type, models, base_url: baseUrl, config, model_mapping: mapping } = channel
  const listed = models
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '')
  if (listed.includes(wanted)) return [wanted]
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) return listed.slice(0, 1)
  const target = { descriptor, baseUrl, overrides: overridesOf(config) }
  const rankOf = (model: string) => testRank(probePlan(target, mappedModel(mapping, model)))
  return listed
    .map((model) => ({ model, rank: rankOf(model) }))
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MODELS_MAX)
    .map(({ model }) => model)
}
