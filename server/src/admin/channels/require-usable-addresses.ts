import { ADDRESS_RULES, addressFaultOf, AppError, type InBoth } from '@tollgate/contract'
import { descriptorOf, takesQuery } from '@tollgate/relay/catalogue'
import { REFUSAL_TEXTS } from '../../network/address-reach.ts'
import type { Outgoing } from '../../network/outgoing.ts'
import { proxyOf } from '../../upstream/channel-proxy.ts'

type ChannelAddress = { type: number; base_url: string; config: string }

/**
 * Throws `invalid_field` for an address that would be rejected in use: no path can be appended, or
 * connections to it are forbidden. Host names are not resolved here, only on use.
 */
export function requireUsableAddresses(
  outgoing: Outgoing,
  { type, base_url, config }: ChannelAddress,
) {
  const fault = addressFaultOf(base_url)
  if (fault !== null && !(fault === 'query' && takesQuery(type))) {
    throw invalid('base_url', ADDRESS_RULES[fault])
  }
  requireOpen(outgoing, 'base_url', base_url || (descriptorOf(type)?.baseUrl ?? ''))
  requireOpen(outgoing, 'config.proxy', proxyOf(config) ?? '')
}

function requireOpen({ refusalOf }: Outgoing, field: string, address: string) {
  const host = URL.parse(address)?.hostname ?? ''
  const refusal = host === '' ? null : refusalOf(host)
  if (refusal !== null) throw invalid(field, REFUSAL_TEXTS[refusal])
}

const invalid = (field: string, problem: InBoth) =>
  new AppError('invalid_field', { field, problem })
