import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { AppError } from '@tollgate/contract'

export type AttemptLimit = {
  /** Counts an attempt; returns the seconds to wait when there were too many, else null. */
  take: (key: string) => number | null
  /** Takes an attempt back that turned out well. */
  giveBack: (key: string) => void
}

const KEYS_MAX = 50_000
const SLICES = 10

/** Attempts that came close together; they are forgotten together, a window after the last. */
type Slice = { beganAt: number; lastAt: number; count: number }

/**
 * At most `most` attempts per key in any `windowMs`. An attempt counts before its outcome is known, so
 * that many at once cannot slip through; one that is refused does not count.
 */
export function createAttemptLimit({
  most,
  windowMs,
  now,
}: {
  /** A function where it can change while the server runs. */
  most: number | (() => number)
  windowMs: number
  now: () => number
}): AttemptLimit {
  const known = new LRUCache<string, Slice[]>({ max: KEYS_MAX })
  const limit = typeof most === 'number' ? () => most : most
  return {
    take: (key) => {
      const at = now()
      const slices = (known.get(key) ?? []).filter(({ lastAt }) => lastAt + windowMs > at)
      const wait = waitMs(slices, { most: limit(), windowMs, at })
      if (wait === null) known.set(key, withAttempt(slices, at, windowMs / SLICES))
      return wait === null ? null : Math.max(1, Math.ceil(wait / 1000))
    },
    giveBack: (key) => {
      const slice = known.get(key)?.findLast(({ count }) => count > 0)
      if (slice) slice.count -= 1
    },
  }
}

/** Counts an attempt, or throws `too_many_requests`. */
export function takeOrRefuse(limit: Pick<AttemptLimit, 'take'>, key: string) {
  const seconds = limit.take(key)
  if (seconds !== null) throw new AppError('too_many_requests', { seconds })
}

/** Until so many have been forgotten that there is room for one; null when there is room now. */
function waitMs(
  slices: readonly Slice[],
  { most, windowMs, at }: { most: number; windowMs: number; at: number },
): number | null {
  let left = slices.reduce((sum, { count }) => sum + count, 0)
  if (left < most) return null
  for (const { lastAt, count } of slices) {
    left -= count
    if (left < most) return lastAt + windowMs - at
  }
  return windowMs
}

function withAttempt(slices: Slice[], at: number, sliceMs: number): Slice[] {
  const newest = slices.at(-1)
  if (newest === undefined || at >= newest.beganAt + sliceMs) {
    return [...slices, { beganAt: at, lastAt: at, count: 1 }]
  }
  newest.count += 1
  newest.lastAt = at
  return slices
}

const NETWORK_GROUPS = 4

/** One caller usually owns a whole /64 of IPv6. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return parsed.toNormalizedString().split(':').slice(0, NETWORK_GROUPS).join(':')
}
