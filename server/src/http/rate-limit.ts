import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

export type AttemptLimit = {
  /** Counts an attempt; returns the seconds to wait when there were too many, else null. */
  take: (key: string) => number | null
  /** Takes an attempt back that turned out well. */
  giveBack: (key: string) => void
}

const KEYS_MAX = 50_000

type Window = { count: number; endsAt: number }

/**
 * At most `most` attempts per key and window. An attempt counts before its outcome is known, so that
 * many at once cannot slip through.
 */
export function createAttemptLimit({
  most,
  windowMs,
  now,
}: {
  most: number
  windowMs: number
  now: () => number
}): AttemptLimit {
  const windows = new LRUCache<string, Window>({ max: KEYS_MAX })
  return {
    take: (key) => {
      const known = windows.get(key)
      const window = known && known.endsAt > now() ? known : { count: 0, endsAt: now() + windowMs }
      if (window.count >= most) return Math.max(1, Math.ceil((window.endsAt - now()) / 1000))
      windows.set(key, { ...window, count: window.count + 1 })
      return null
    },
    giveBack: (key) => {
      const known = windows.get(key)
      if (known && known.count > 0) windows.set(key, { ...known, count: known.count - 1 })
    },
  }
}

const NETWORK_GROUPS = 4

/** One caller usually owns a whole /64 of IPv6. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return parsed.toNormalizedString().split(':').slice(0, NETWORK_GROUPS).join(':')
}
