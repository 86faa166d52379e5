import { addressKey } from '../../http/rate-limit.ts'
import { createAttemptLimit, type LimitDeps, takeOrRefuse } from '../attempt-limit.ts'

const WINDOW_SECONDS = 20 * 60
const ATTEMPTS_MAX = 20
/**
 * While a code holds, which may be in two windows, there are 200 wrong ones, of a million where they have six digits:
 * somebody may own many addresses.
 */
const CODE_SECONDS = 3 * 60
const WRONG_CODES_MAX = 100
const EVERYBODY = 'everybody'

type Purpose = 'start' | 'callback' | 'wechat'

export type OAuthLimits = {
  /**
   * Throws `too_many_requests`; resolves to what takes the attempt back when it turned out well, and with a callback
   * the start before it.
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
        await attempts.giveBack(`${purpose} ${caller}`)
        if (purpose === 'callback') await attempts.giveBack(`start ${caller}`)
        if (isGuessed) await codes.giveBack(EVERYBODY)
      }
    },
  }
}
