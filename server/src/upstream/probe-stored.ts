import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
import { splitKeys } from './channel-keys.ts'
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

/** After this time no further keys of the channel are probed. */
const KEYS_MS_MAX = 60_000

/**
 * Probes a channel with `model`, or with its first model if it does not have that one. Tries keys
 * in order until one is not refused.
 */
export async function probeStored(
  { secrets, settings, upstream, now }: Deps,
  channel: StoredChannel,
  { model = '', signal }: { model?: string | undefined; signal?: AbortSignal },
): Promise<ProbeResult> {
  const { ServerAddress, SystemName } = settings.current()
  const [first = '', ...others] = splitKeys(secrets.openChannelKey(channel.key_sealed))
  const probeWith = (key: string) =>
    probeChannel({
      upstream,
      channel: { ...channel, key },
      model: modelOf(channel.models, model),
      siteUrl: ServerAddress,
      siteName: SystemName,
      now,
      signal,
    })
  const deadline = now() + KEYS_MS_MAX
  let result = await probeWith(first)
  for (const key of others) {
    if (!result.namesKey) break
    // The keys that were not probed may be valid.
    if (now() > deadline) return { ...result, namesKey: false }
    result = await probeWith(key)
  }
  return result
}

/** Old front ends send the same model for all channels. */
function modelOf(models: string, wanted: string): string {
  const listed = models
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '')
  return listed.includes(wanted) ? wanted : (listed[0] ?? '')
}
