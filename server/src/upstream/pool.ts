import { LRUCache } from 'lru-cache'
import { type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from 'undici'
import type { UpstreamLimits } from './limits.ts'

/** Origins come from channels, which are few; more than this are closed, the least used first. */
const ORIGINS_MAX = 500
const CONNECTIONS_PER_ORIGIN_MAX = 4096
/** Shorter than the idle time most providers and proxies allow (60 s), unless they name one. */
const KEEP_ALIVE_MS = 50_000
const KEEP_ALIVE_MS_MAX = 600_000
const HEADER_BYTES_MAX = 64 * 1024

export type Pools = {
  /** `proxy` is an address of http, https or socks5, and null for none. */
  forOrigin: (origin: string, proxy: string | null) => Dispatcher
  close: () => Promise<void>
}

/** One pool of kept connections per origin, and one for each proxy. */
export function createPools({ connectMs }: UpstreamLimits): Pools {
  const pools = new LRUCache<string, Dispatcher>({
    max: ORIGINS_MAX,
    dispose: (pool) => void pool.close().catch(() => {}),
  })
  const options = {
    connections: CONNECTIONS_PER_ORIGIN_MAX,
    connectTimeout: connectMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
    // Deadlines are kept per exchange, where a paused client does not count as a silent provider.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  }
  return {
    forOrigin: (origin, proxy) => {
      const name = proxy ?? origin
      const known = pools.get(name)
      if (known) return known
      const pool = proxy === null ? new Pool(origin, options) : agentOf(proxy, options)
      pools.set(name, pool)
      return pool
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

function agentOf(proxy: string, options: Omit<Pool.Options, 'connect'>): Dispatcher {
  if (/^socks/i.test(proxy)) return new Socks5ProxyAgent(proxy, options)
  // A tunnel also for plain HTTP: what the proxy sees of a request is where it goes.
  return new ProxyAgent({ ...options, uri: proxy, proxyTunnel: true })
}
