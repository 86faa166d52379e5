import { splitBase } from '../base-address.ts'

/**
 * The address of a provider's method: the channel's base, or else the default one, and a path that begins
 * with a version, such as `/v1/messages`. A base that ends in the beginning of the path (`…/v1`) does not
 * repeat it; its query is kept.
 */
export function joinAddress(baseUrl: string, defaultBaseUrl: string, path: string): string {
  const { address, query } = splitBase(baseUrl.trim() || defaultBaseUrl)
  const shared = beginnings(path).find((beginning) => address.endsWith(beginning)) ?? ''
  return address + path.slice(shared.length) + query
}

/** `/v1/messages` and `/v1` of `/v1/messages`. */
function beginnings(path: string): string[] {
  const parts = path.split('/')
  return parts
    .map((_part, index) => parts.slice(0, parts.length - index).join('/'))
    .filter((beginning) => beginning !== '')
}
