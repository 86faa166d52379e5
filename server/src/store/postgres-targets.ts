const PARTS = /^(?<begin>postgres(?:ql)?:\/\/(?:[^@/?]*@)?)(?<hosts>[^/?]*)(?<rest>.*)$/s

/** The address of each host that a PostgreSQL address lists, as `postgres://u@one:5432,two/d`. */
export function hostsOf(databaseUrl: string): string[] {
  const { begin, hosts = '', rest } = PARTS.exec(databaseUrl)?.groups ?? {}
  if (begin === undefined) return [databaseUrl]
  return hosts.split(',').map((host) => `${begin}${host}${rest}`)
}

const MODE = /(?<=[?&]sslmode=)(?<mode>[\w-]+)/
/** libpq's modes that connect without TLS to a server that has none. */
const OPTIONAL_TLS: ReadonlySet<string> = new Set(['prefer', 'allow'])

/** The driver has modes of its own under the same names, unless told otherwise. */
const asLibpq = (url: string) =>
  url.includes('uselibpqcompat=') ? url : `${url}&uselibpqcompat=true`

/** Addresses in the order in which they are tried, with TLS as libpq understands `sslmode`. */
export const targetsOf = (databaseUrl: string): string[] =>
  hostsOf(databaseUrl).flatMap((url) => {
    const mode = MODE.exec(url)?.groups?.['mode']
    if (mode === undefined) return [url]
    if (!OPTIONAL_TLS.has(mode)) return [asLibpq(url)]
    return ['prefer', 'disable'].map((each) => asLibpq(url.replace(MODE, each)))
  })
