import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { type Slice, slicesWithin, waitMs, withAmount } from './sliding-window.ts'

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
  now: () => number
}): RateLimit {
  // By size, as a cache with a `max` takes the memory for all its keys at once.
  const known = new LRUCache<string, Slice[]>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 })
  return (key) => {
    const at = now()
    const slices = slicesWithin(known.get(key) ?? [], windowMs, at)
    const wait = waitMs(slices, { most: most(), amount: 1, windowMs, at })
    if (wait === 0) known.set(key, withAmount(slices, 1, at, windowMs / SLICES))
    return wait === 0 ? null : Math.max(1, Math.ceil(wait / 1000))
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
