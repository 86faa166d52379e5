import { isRecord, parseJson } from '@tollgate/relay'

/** The proxy of a channel, from its stored `config`; null for none. */
export function proxyOf(config: string): string | null {
  const json = config === '' ? null : parseJson(config)
  const proxy = isRecord(json) ? json['proxy'] : null
  // `socks5h` lets the proxy resolve names, which happens with `socks5` here as well.
  return typeof proxy === 'string' && proxy !== '' ? proxy.replace(/^socks5h:/i, 'socks5:') : null
}
