import { AppError } from '@tollgate/contract'
import { originOf } from '@tollgate/relay/catalogue'
import { proxyOf } from '../../upstream/channel-proxy.ts'
import { requireHeaders } from './hidden-headers.ts'

type ChannelAddress = { type: number; base_url: string; config: string }

/** Whether a test result still applies after the change. */
export const isSameAddress = (before: ChannelAddress, after: ChannelAddress) =>
  before.type === after.type && before.base_url === after.base_url && before.config === after.config

/**
 * Throws `key_needed_again` if the key would go to another server or, without encryption, through a
 * new proxy that could read it. Otherwise anyone who may edit a channel could steal its key.
 */
export function requireSameAddress(before: ChannelAddress, after: ChannelAddress) {
  if (exposesSecrets(before, after)) throw new AppError('key_needed_again')
}

/** Throws `header_hidden` if the value of a header that the form masks would go there. */
export function requireSameAddressForHeaders(
  shownConfig: string,
  before: ChannelAddress,
  after: ChannelAddress,
) {
  if (exposesSecrets(before, after)) requireHeaders(shownConfig)
}

function exposesSecrets(before: ChannelAddress, after: ChannelAddress): boolean {
  const origin = originOf(after)
  return originOf(before) !== origin || exposesToNewProxy(before, { config: after.config, origin })
}

/** Whether a new proxy could read the traffic to the origin. */
export function exposesToNewProxy(
  before: Pick<ChannelAddress, 'config'>,
  { config, origin }: { config: string; origin: string },
): boolean {
  const proxy = proxyOf(config)
  return proxy !== null && proxy !== proxyOf(before.config) && !/^https:/i.test(origin)
}
