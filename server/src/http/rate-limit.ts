import ipaddr from 'ipaddr.js'
import { createLru } from '../lru.ts'
import { SlidingWindow } from './sliding-window.ts'

/** Counts a call. Returns the seconds to wait if there were too many, else null. */
export type RateLimit = (key: string) => number | null

const KEYS_MAX = 50_000
const SLICES = 10

/**
 * At most `max` calls per key in any `windowMs`, per process: every call passes here, so the check
 * must be cheap. Refused calls are not counted.
 */
export function createRateLimit({
  max,
  windowMs,
  now,
}: {
  /** Read on every call, because the option can change at runtime. */
  max: () => number
  windowMs: number
  /** Monotonic, in milliseconds. */
  now: () => number
}): RateLimit {
  const known = createLru<string, SlidingWindow>(KEYS_MAX)
  return (key) => {
    const at = now()
    const window = known.get(key) ?? new SlidingWindow(windowMs, windowMs / SLICES)
    const wait = window.waitMs({ max: max(), amount: 1 }, at)
    if (wait > 0) return Math.max(1, Math.ceil(wait / 1000))
    window.add(1, at)
    known.set(key, window)
    return null
  }
}

const NETWORK_GROUPS = 4

/** An IPv6 caller usually owns a whole /64. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return parsed.toNormalizedString().split(':').slice(0, NETWORK_GROUPS).join(':')
}
