import { LRUCache } from 'lru-cache'
import { Pool } from 'undici'
import type { UpstreamLimits } from './limits.ts'

/** Origins come from channels, which are few; more than this are closed, the least used first. */
const ORIGINS_MAX = 500
const CONNECTIONS_PER_ORIGIN_MAX = 4096
/** Shorter than the idle time most providers and proxies allow (60 s), unless they name one. */
const KEEP_ALIVE_MS = 50_000
const KEEP_ALIVE_MS_MAX = 600_000
const HEADER_BYTES_MAX = 64 * 1024

export type Pools = {
  forOrigin: (origin: string) => Pool
  close: () => Promise<void>
}

/** One pool of kept connections per origin. */
export function createPools({ connectMs }: UpstreamLimits): Pools {
  const pools = new LRUCache<string, Pool>({
    max: ORIGINS_MAX,
    dispose: (pool) => void pool.close().catch(() => {}),
  })
  return {
    forOrigin: (origin) => {
      const known = pools.get(origin)
      if (known) return known
      const pool = new Pool(origin, {
        connections: CONNECTIONS_PER_ORIGIN_MAX,
        connectTimeout: connectMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS_MAX,
        maxHeaderSize: HEADER_BYTES_MAX,
        // Deadlines are kept per exchange, where a paused client does not count as a silent provider.
        headersTimeout: 0,
        bodyTimeout: 0,
        allowH2: false,
      })
      pools.set(origin, pool)
      return pool
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}
