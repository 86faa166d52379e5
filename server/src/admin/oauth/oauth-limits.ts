import { addressKey, createAttemptLimit, takeOrRefuse } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const ATTEMPTS_MAX = 20

type Purpose = 'start' | 'callback' | 'wechat'

export type OAuthLimits = {
  /** Throws `too_many_requests`; returns what takes the attempt back when it turned out well. */
  take: (purpose: Purpose, address: string) => () => void
}

export function createOAuthLimits(now: () => number): OAuthLimits {
  const attempts = createAttemptLimit({ most: ATTEMPTS_MAX, windowMs: WINDOW_MS, now })
  return {
    take: (purpose, address) => {
      const key = `${purpose} ${addressKey(address)}`
      takeOrRefuse(attempts, key)
      return () => attempts.giveBack(key)
    },
  }
}
