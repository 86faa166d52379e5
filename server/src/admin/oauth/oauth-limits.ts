import { addressKey, createAttemptLimit, takeOrRefuse } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const ATTEMPTS_MAX = 20
/** While a code holds, of which there are a million where they have six digits: somebody may own many addresses. */
const CODE_MS = 3 * 60 * 1000
const WRONG_CODES_MAX = 200
const EVERYBODY = 'everybody'

type Purpose = 'start' | 'callback' | 'wechat'

export type OAuthLimits = {
  /**
   * Throws `too_many_requests`; returns what takes the attempt back when it turned out well, and with a callback
   * the start before it.
   */
  take: (purpose: Purpose, address: string) => () => void
}

export function createOAuthLimits(now: () => number): OAuthLimits {
  const attempts = createAttemptLimit({ most: ATTEMPTS_MAX, windowMs: WINDOW_MS, now })
  const codes = createAttemptLimit({ most: WRONG_CODES_MAX, windowMs: CODE_MS, now })
  return {
    take: (purpose, address) => {
      const caller = addressKey(address)
      takeOrRefuse(attempts, `${purpose} ${caller}`)
      const isGuessed = purpose === 'wechat'
      if (isGuessed) takeOrRefuse(codes, EVERYBODY)
      return () => {
        attempts.giveBack(`${purpose} ${caller}`)
        if (purpose === 'callback') attempts.giveBack(`start ${caller}`)
        if (isGuessed) codes.giveBack(EVERYBODY)
      }
    },
  }
}
