import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { SlidingWindow } from './sliding-window.ts'

/** Counts a call; returns the seconds to wait when there were too many, else null. */
export type RateLimit = (key: string) => number | null

const KEYS_MAX = 50_000
const SLICES = 10

/**
 * At most `most` calls per key in any `windowMs`, for each process by itself: every call is asked, so that it must cost
 * nothing. One that is refused does not count.
 */
export function createRateLimit({
  most,
  windowMs,
  now,
}: {
  /** It can change while the server runs. */
  most: () => number
  windowMs: number
  /** Milliseconds that never go back. */
  now: () => number
}): RateLimit {
  // By size, as a cache with a `max` takes the memory for all its keys at once.
  const known = new LRUCache<string, SlidingWindow>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 })
  return (key) => {
    const at = now()
    const window = known.get(key) ?? new SlidingWindow(windowMs, windowMs / SLICES)
    const wait = window.waitMs({ most: most(), amount: 1 }, at)
    if (wait > 0) return Math.max(1, Math.ceil(wait / 1000))
    window.add(1, at)
    known.set(key, window)
    return null
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
