import { LRUCache } from 'lru-cache'
import { AppError } from '@tollgate/contract'
import { addressKey, createAttemptLimit } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const FAILURES_PER_ADDRESS_MAX = 20
const FAILURES_PER_ACCOUNT_MAX = 10
const KNOWN_MAX = 50_000

type Attempt = {
  address: string
  /** As it was typed. */
  name: string
  /** Whose name it is, if anybody's. */
  userId: number | undefined
  /** Of this account, or null. */
  device: string | null
}

export type LoginLimits = {
  /** Throws `too_many_requests`. */
  take: (attempt: Attempt) => {
    /** The account has had too many failures under another of its names, which nobody is to learn. */
    isLocked: boolean
    /** Takes the attempt back when it turned out well. */
    forgive: () => void
  }
}

/**
 * Where somebody has signed in before, or with what browser, their failures are counted by themselves, so that
 * nobody is locked out by what others try elsewhere. An account has a name and an address: what is told is
 * counted by what was typed, or a lock would tell whose address it is.
 */
export function createLoginLimits(now: () => number): LoginLimits {
  const limitOf = (most: number) => createAttemptLimit({ most, windowMs: WINDOW_MS, now })
  const addresses = limitOf(FAILURES_PER_ADDRESS_MAX)
  const names = limitOf(FAILURES_PER_ACCOUNT_MAX)
  const accounts = limitOf(FAILURES_PER_ACCOUNT_MAX)
  const knownPlaces = limitOf(FAILURES_PER_ACCOUNT_MAX)
  const known = new LRUCache<string, true>({ max: KNOWN_MAX })
  /** Of an attempt that is refused for its name nothing counts, or its owner's patience would cost the address. */
  const takeBoth = (key: string, name: string) => {
    const seconds = addresses.take(key)
    if (seconds !== null) return seconds
    const secondsOfName = names.take(name)
    if (secondsOfName !== null) addresses.giveBack(key)
    return secondsOfName
  }
  return {
    take: ({ address, name, userId, device }) => {
      const key = addressKey(address)
      const account = String(userId ?? '')
      const here = `${key} ${account}`
      const place = device ?? here
      const isKnown = device !== null || known.has(here)
      const seconds = isKnown ? knownPlaces.take(place) : takeBoth(key, name)
      if (seconds !== null) throw new AppError('too_many_requests', { seconds })
      const isLocked = !isKnown && userId !== undefined && accounts.take(account) !== null
      const forgive = () => {
        if (userId !== undefined) known.set(here, true)
        if (isKnown) return knownPlaces.giveBack(place)
        addresses.giveBack(key)
        names.giveBack(name)
        accounts.giveBack(account)
      }
      return { isLocked, forgive }
    },
  }
}
