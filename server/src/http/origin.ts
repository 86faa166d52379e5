import type { Method } from '@tollgate/contract'

type OriginHeaders = {
  method: Method
  origin: string | undefined
  /** Browsers set it and no script can; it is there on HTTPS and on localhost. */
  fetchSite: string | undefined
  /** `empty` for what a script sends; links and images name something else. */
  fetchDest: string | undefined
  /** A page can hide it, and cannot name another host than its own. */
  referer: string | undefined
  accept: string | undefined
  userAgent: string | undefined
}

/** What links and images accept first; scripts can accept anything. */
const PAGE_OR_IMAGE = /^(?:text\/html|image\/)/i

/** All browsers begin so, as PowerShell does, and no page can have another site asked in another name. */
const BROWSER = /^Mozilla\/(?!.*PowerShell\/)/

/**
 * Whether a browser sent the request for another site, or without a script of ours: a link in a mail
 * and an image in a notice come with the cookie, too. `ownHosts` are the names this server is reached by.
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
 * Without the headers above, on plain HTTP, a GET of a browser has to name a page of ours: one of another host may get
 * without an origin, and hide where it is; without a session, too, it could sign its visitor in as somebody else. With
 * other methods browsers always send the origin.
 */
function isUnprovenGet({ method, referer, accept = '', userAgent = '' }: OriginHeaders) {
  if (method !== 'GET' || !BROWSER.test(userAgent)) return false
  return referer === undefined || PAGE_OR_IMAGE.test(accept)
}

/**
 * The hosts whose pages may change things. While no address is configured, any name the request was
 * sent to is one; afterwards only addresses and localhost are, which nobody else can lead here.
 */
export function ownHostsOf(
  asked: readonly string[],
  configured: readonly string[],
): readonly string[] {
  if (configured.length === 0) return asked
  return [...asked.filter((host) => LOCAL_OR_NUMERIC.test(host)), ...configured]
}

const LOCAL_OR_NUMERIC = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/i

/** Whether a page, by its address or origin, is at one of these hosts. */
export function isOwn(page: string, ownHosts: readonly string[]) {
  // A page without an origin of its own, as one in a sandbox, sends "null".
  if (!URL.canParse(page)) return false
  const host = withoutDefaultPort(new URL(page).host)
  return ownHosts.some((own) => withoutDefaultPort(own.toLowerCase()) === host)
}

const withoutDefaultPort = (host: string) => host.replace(/:(?:80|443)$/, '')
