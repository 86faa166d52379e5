import type { SettingsDeps } from '../settings/settings.ts'
import type { Env } from './env.ts'

/** What the environment decides about options. */
export function setByEnv({
  UPSTREAM_PRIVATE_NETWORKS: privateNetworks,
  CHANNEL_PRIVATE_NETWORKS: networks,
}: Env): Required<Pick<SettingsDeps, 'pinned' | 'privateNetworks'>> {
  const pinned =
    networks === undefined ? {} : { ChannelPrivateNetworksEnabled: networks === 'allow' }
  return { pinned, privateNetworks }
}
