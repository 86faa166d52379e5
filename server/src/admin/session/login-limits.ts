import { LRUCache } from 'lru-cache'
import { AppError } from '@tollgate/contract'
import { addressKey, createAttemptLimit } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const FAILURES_PER_ADDRESS_MAX = 20
const FAILURES_PER_ACCOUNT_MAX = 10
const KNOWN_MAX = 50_000

export type LoginLimits = {
  /** Throws `too_many_requests`; returns what takes the attempt back when it turned out well. */
  take: (attempt: { address: string; account: string }) => () => void
}

/**
 * Where somebody has signed in before, their failures there are counted by themselves, so that nobody
 * is locked out by what others try elsewhere.
 */
export function createLoginLimits(now: () => number): LoginLimits {
  const limitOf = (most: number) => createAttemptLimit({ most, windowMs: WINDOW_MS, now })
  const addresses = limitOf(FAILURES_PER_ADDRESS_MAX)
  const accounts = limitOf(FAILURES_PER_ACCOUNT_MAX)
  const knownPlaces = limitOf(FAILURES_PER_ACCOUNT_MAX)
  const known = new LRUCache<string, true>({ max: KNOWN_MAX })
  return {
    take: ({ address, account }) => {
      const key = addressKey(address)
      const place = `${key} ${account}`
      const isKnown = known.has(place)
      const seconds = isKnown
        ? knownPlaces.take(place)
        : (addresses.take(key) ?? accounts.take(account))
      if (seconds !== null) throw new AppError('too_many_requests', { seconds })
      return () => {
        known.set(place, true)
        if (isKnown) return knownPlaces.giveBack(place)
        addresses.giveBack(key)
        accounts.giveBack(account)
      }
    },
  }
}
