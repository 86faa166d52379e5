import { memoize } from '../bytes/memoize.ts'
import { splitBase } from './base-address.ts'

/**
 * Joins the channel's base URL, or the default one, with a path that starts with a version, such as
 * `/v1/messages`. If the base already ends in the start of the path (`…/v1`), that part is not
 * repeated. The base's query is kept.
 */
export function joinAddress(baseUrl: string, defaultBaseUrl: string, path: string): string {
  const { address, query } = splitBase(baseUrl.trim() || defaultBaseUrl)
  const shared = pathPrefixes(path).find((prefix) => address.endsWith(prefix)) ?? ''
  return address + path.slice(shared.length) + query
}

/** For `/v1/messages`: `/v1/messages` and `/v1`. */
const pathPrefixes = memoize((path): readonly string[] => {
  const parts = path.split('/')
  return parts
    .map((_part, index) => parts.slice(0, parts.length - index).join('/'))
    .filter((prefix) => prefix !== '')
})
