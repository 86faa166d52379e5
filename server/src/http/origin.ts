type OriginHeaders = {
  origin: string | undefined
  /** Browsers set it and no script can; it is there on HTTPS and on localhost. */
  fetchSite: string | undefined
  /** `empty` for what a script sends; links and images name something else. */
  fetchDest: string | undefined
  /** Without the two above, on plain HTTP, links and images are known by what they accept first. */
  accept: string | undefined
}

const PAGE_OR_IMAGE = /^(?:text\/html|image\/)/i

/**
 * Whether a browser sent the request for another site, or without a script of ours: a link in a mail
 * and an image in a notice come with the cookie, too. Without these headers it was no browser.
 * `ownHosts` are the names this server is reached by.
 */
export function isForeign(
  { origin, fetchSite, fetchDest, accept }: OriginHeaders,
  ownHosts: readonly string[],
) {
  if (fetchDest !== undefined && fetchDest !== 'empty') return true
  if (fetchSite !== undefined) return fetchSite !== 'same-origin' && fetchSite !== 'none'
  if (origin === undefined) return PAGE_OR_IMAGE.test(accept ?? '')
  // A page without an origin of its own, as one in a sandbox, sends "null".
  if (!URL.canParse(origin)) return true
  const host = withoutDefaultPort(new URL(origin).host)
  return !ownHosts.some((own) => withoutDefaultPort(own.toLowerCase()) === host)
}

const withoutDefaultPort = (host: string) => host.replace(/:(?:80|443)$/, '')
