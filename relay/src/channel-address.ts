import { addressFaultOf } from '@tollgate/contract'
import { takesQuery } from './catalogue.ts'
import { CALL_DETAILS } from './errors/upstream-error.ts'

const BASE_URL_DETAILS = {
  fragment: CALL_DETAILS.baseUrlFragment,
  query: CALL_DETAILS.baseUrlQuery,
  characters: CALL_DETAILS.baseUrlCharacters,
} as const

/**
 * Why a stored channel cannot be called: its address would swallow the path appended to it. Null
 * for a usable address. Forms reject such addresses, but stored channels can be older than the
 * rule.
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
