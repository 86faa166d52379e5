import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { AppError } from '@tollgate/contract'
import { type Slice, slicesWithin, waitMs, withAmount } from './sliding-window.ts'

export type AttemptLimit = {
  /** Counts an attempt; returns the seconds to wait when there were too many, else null. */
  take: (key: string) => number | null
  /** Takes an attempt back that turned out well. */
  giveBack: (key: string) => void
}

const KEYS_MAX = 50_000
const SLICES = 10

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
  // By size, as a cache with a `max` takes the memory for all its keys at once.
  const known = new LRUCache<string, Slice[]>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 })
  const limit = typeof most === 'number' ? () => most : most
  return {
    take: (key) => {
      const at = now()
      const slices = slicesWithin(known.get(key) ?? [], windowMs, at)
      const wait = waitMs(slices, { most: limit(), amount: 1, windowMs, at })
      if (wait === 0) known.set(key, withAmount(slices, 1, at, windowMs / SLICES))
      return wait === 0 ? null : Math.max(1, Math.ceil(wait / 1000))
    },
    giveBack: (key) => {
      const slice = known.get(key)?.findLast(({ amount }) => amount > 0)
      if (slice) slice.amount -= 1
    },
  }
}

/** Counts an attempt, or throws `too_many_requests`. */
export function takeOrRefuse(limit: Pick<AttemptLimit, 'take'>, key: string) {
  const seconds = limit.take(key)
  if (seconds !== null) throw new AppError('too_many_requests', { seconds })
}

const NETWORK_GROUPS = 4

/** One caller usually owns a whole /64 of IPv6. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return parsed.toNormalizedString().split(':').slice(0, NETWORK_GROUPS).join(':')
}
