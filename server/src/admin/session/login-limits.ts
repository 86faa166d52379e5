import { AppError } from '@tollgate/contract'
import { addressKey, createAttemptLimit } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const FAILURES_PER_ADDRESS_MAX = 20
const FAILURES_PER_ACCOUNT_MAX = 10

export type LoginLimits = {
  /** Throws `too_many_requests`; returns what takes the attempt back when it turned out well. */
  take: (attempt: { address: string; account: string }) => () => void
}

export function createLoginLimits(now: () => number): LoginLimits {
  const addresses = createAttemptLimit({ most: FAILURES_PER_ADDRESS_MAX, windowMs: WINDOW_MS, now })
  const accounts = createAttemptLimit({ most: FAILURES_PER_ACCOUNT_MAX, windowMs: WINDOW_MS, now })
  return {
    take: ({ address, account }) => {
      const key = addressKey(address)
      const seconds = addresses.take(key) ?? accounts.take(account)
      if (seconds !== null) throw new AppError('too_many_requests', { seconds })
      return () => {
        addresses.giveBack(key)
        accounts.giveBack(account)
      }
    },
  }
}
