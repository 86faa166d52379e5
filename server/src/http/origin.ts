type OriginHeaders = {
  origin: string | undefined
  /** Browsers set it and no script can; it is there on HTTPS and on localhost. */
  fetchSite: string | undefined
}

/**
 * Whether a browser sent the request for another site. With neither header it was no browser.
 * `ownHosts` are the names this server is reached by.
 */
export function isForeign({ origin, fetchSite }: OriginHeaders, ownHosts: readonly string[]) {
  if (fetchSite !== undefined) return fetchSite !== 'same-origin' && fetchSite !== 'none'
  if (origin === undefined) return false
  // A page without an origin of its own, as one in a sandbox, sends "null".
  if (!URL.canParse(origin)) return true
  const host = withoutDefaultPort(new URL(origin).host)
  return !ownHosts.some((own) => withoutDefaultPort(own.toLowerCase()) === host)
}

const withoutDefaultPort = (host: string) => host.replace(/:(?:80|443)$/, '')
