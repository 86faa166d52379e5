import { isRecord, parseJson } from '@tollgate/relay'

/** The proxy that a channel is reached through, from its stored `config`; null for none. */
export function proxyOf(config: string): string | null {
  const json = config === '' ? null : parseJson(config)
  const proxy = isRecord(json) ? json['proxy'] : null
  // With an h names are looked up by the proxy, which is done in any case.
  return typeof proxy === 'string' && proxy !== '' ? proxy.replace(/^socks5h:/i, 'socks5:') : null
}
