import { addressKey } from '../../http/rate-limit.ts'
import { createAttemptLimit, type LimitDeps, takeOrRefuse } from '../attempt-limit.ts'

const WINDOW_SECONDS = 20 * 60
const ATTEMPTS_MAX = 20
/**
 * An attacker may own many addresses, so wrong codes are limited for all callers together. A code
 * is valid across at most two windows, which allows 200 wrong guesses out of a million six-digit
 * codes.
 */
const CODE_SECONDS = 3 * 60
const WRONG_CODES_MAX = 100
const EVERYBODY = 'everybody'

type Purpose = 'start' | 'callback' | 'wechat'

export type OAuthLimits = {
  /**
   * Throws `too_many_requests`. Resolves to a function that refunds a successful attempt and, for a
   * callback, also the start before it.
   */
  take: (purpose: Purpose, address: string) => Promise<() => Promise<void>>
}

export function createOAuthLimits(deps: LimitDeps): OAuthLimits {
  const attempts = createAttemptLimit(deps, {
    name: 'oauth',
    most: ATTEMPTS_MAX,
    seconds: WINDOW_SECONDS,
  })
  const codes = createAttemptLimit(deps, {
    name: 'wechat code',
    most: WRONG_CODES_MAX,
    seconds: CODE_SECONDS,
  })
  return {
    take: async (purpose, address) => {
      const caller = addressKey(address)
      await takeOrRefuse(attempts, `${purpose} ${caller}`)
      const isGuessed = purpose === 'wechat'
      if (isGuessed) await takeOrRefuse(codes, EVERYBODY)
      return async () => {
        await attempts.release(`${purpose} ${caller}`)
        if (purpose === 'callback') await attempts.release(`start ${caller}`)
        if (isGuessed) await codes.release(EVERYBODY)
      }
    },
  }
}
