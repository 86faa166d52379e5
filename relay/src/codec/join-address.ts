/**
 * The address of a provider's method: the channel's base, or else the default one, and a path that begins
 * with a version, such as `/v1/messages`. A base that ends in the beginning of the path (`…/v1`) does not
 * repeat it; its query is kept.
 */
export function joinAddress(baseUrl: string, defaultBaseUrl: string, path: string): string {
  const [address = '', ...query] = (baseUrl.trim() || defaultBaseUrl).split('?')
  const base = address.replace(/\/+$/, '')
  const shared = beginnings(path).find((beginning) => base.endsWith(beginning)) ?? ''
  const joined = base + path.slice(shared.length)
  return query.length === 0 ? joined : `${joined}?${query.join('?')}`
}

/** `/v1/messages` and `/v1` of `/v1/messages`. */
function beginnings(path: string): string[] {
  const parts = path.split('/')
  return parts
    .map((_part, index) => parts.slice(0, parts.length - index).join('/'))
    .filter((beginning) => beginning !== '')
}
