import { splitKeys } from '../domain/channel-keys.ts'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
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

/** After this the remaining keys of a channel are not tried any more. */
const KEYS_MS_MAX = 60_000

/**
 * Asks a channel one small question, with its first model unless another that it has is named, and with the
 * first of its keys that is not refused.
 */
export async function probeStored(
  { secrets, settings, upstream, now }: Deps,
  channel: StoredChannel,
  { model = '', signal }: { model?: string | undefined; signal?: AbortSignal },
): Promise<ProbeResult> {
  const { ServerAddress, SystemName } = settings.current()
  const [first = '', ...others] = splitKeys(secrets.openChannelKey(channel.key_sealed))
  const ask = (key: string) =>
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
  let result = await ask(first)
  for (const key of others) {
    if (!result.namesKey) break
    // Of the keys that were not tried nobody knows.
    if (now() > deadline) return { ...result, namesKey: false }
    result = await ask(key)
  }
  return result
}

/** Old front ends name one model for all channels. */
function modelOf(models: string, wanted: string): string {
  const listed = models
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== '')
  return listed.includes(wanted) ? wanted : (listed[0] ?? '')
}
