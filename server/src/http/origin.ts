import type { Method } from '@tollgate/contract'

type OriginHeaders = {
  method: Method
  origin: string | undefined
  /** Set by browsers only, never by scripts; sent over HTTPS and on localhost. */
  fetchSite: string | undefined
  /** `empty` for requests of scripts; links and images have other values. */
  fetchDest: string | undefined
  /** A page can omit this header, but cannot name another host than its own. */
  referer: string | undefined
  accept: string | undefined
  userAgent: string | undefined
}

/** Links and images accept these types first; scripts can send any Accept header. */
const PAGE_OR_IMAGE = /^(?:text\/html|image\/)/i

/**
 * All browsers start with this; PowerShell does too. No page can change it for requests to other
 * sites.
 */
const BROWSER = /^Mozilla\/(?!.*PowerShell\/)/

/**
 * Whether a browser sent the request for another site, or without one of our scripts: links in a
 * mail and images in a notice send the cookie too. `ownHosts` are the names of this server.
 */
export function isForeign(headers: OriginHeaders, ownHosts: readonly string[]) {
  const { origin, fetchSite, fetchDest, referer } = headers
  if (fetchDest !== undefined && fetchDest !== 'empty') return true
  if (fetchSite !== undefined) return fetchSite !== 'same-origin' && fetchSite !== 'none'
  const page = origin ?? referer
  if (page !== undefined && !isOwn(page, ownHosts)) return true
  return origin === undefined && isUnprovenGet(headers)
}

/**
 * For plain HTTP, where the headers above are missing: a browser's GET must name one of our pages.
 * Another site's page can send a GET without an origin and hide its referrer. Even without a
 * session such a GET could sign the visitor in as somebody else. Other methods always carry the
 * origin.
 */
function isUnprovenGet({ method, referer, accept = '', userAgent = '' }: OriginHeaders) {
  if (method !== 'GET' || !BROWSER.test(userAgent)) return false
  return referer === undefined || PAGE_OR_IMAGE.test(accept)
}

/**
 * Hosts whose pages may change state. Without a configured address any host of the request counts.
 * With an address, only it, IP addresses and localhost count, because nobody else can point those
 * here.
 */
export function ownHostsOf(
  requestHosts: readonly string[],
  configured: readonly string[],
): readonly string[] {
  if (configured.length === 0) return requestHosts
  return [...requestHosts.filter((host) => LOCAL_OR_NUMERIC.test(host)), ...configured]
}

const LOCAL_OR_NUMERIC = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/i

/** Whether a page, given as URL or origin, is on one of these hosts. */
export function isOwn(page: string, ownHosts: readonly string[]) {
  // Pages with an opaque origin, such as sandboxed ones, send "null".
  if (!URL.canParse(page)) return false
  const host = withoutDefaultPort(new URL(page).host)
  return ownHosts.some((own) => withoutDefaultPort(own.toLowerCase()) === host)
}

const withoutDefaultPort = (host: string) => host.replace(/:(?:80|443)$/, '')
