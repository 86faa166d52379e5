import { addressFaultOf } from '@tollgate/contract'
import { takesQuery } from './catalogue.ts'
import { CALL_DETAILS } from './upstream-error.ts'

const BASE_URL_DETAILS = {
  fragment: CALL_DETAILS.baseUrlFragment,
  query: CALL_DETAILS.baseUrlQuery,
  characters: CALL_DETAILS.baseUrlCharacters,
} as const

/**
 * What keeps a stored channel from being asked: an address that would swallow the path put behind it. Null where
 * nothing does. Forms refuse these addresses; rows can be older than that rule.
 */
export function channelAddressFault({
  type,
  baseUrl,
  proxy,
}: {
  type: number
  baseUrl: string
  proxy: string | null
}): string | null {
  const fault = addressFaultOf(baseUrl.trim())
  if (fault !== null && !(fault === 'query' && takesQuery(type))) return BASE_URL_DETAILS[fault].en
  return addressFaultOf(proxy ?? '') === null ? null : CALL_DETAILS.proxyAddress.en
}
