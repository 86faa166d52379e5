import { AppError } from '@tollgate/contract'
import { createAttemptLimit, takeOrRefuse } from '../../http/rate-limit.ts'

const WINDOW_MS = 20 * 60 * 1000
const FAILURES_MAX = 20

/** What somebody is told who guesses. */
const GUESSES = new Set(['redemption_unusable', 'gift_code_unknown'])

/** Runs what redeems a code; after too many guesses of one account it throws `too_many_requests`. */
export function createRedeemLimit(now: () => number) {
  const limit = createAttemptLimit({ most: FAILURES_MAX, windowMs: WINDOW_MS, now })
  return async (userId: number, run: () => Promise<number>): Promise<number> => {
    const key = String(userId)
    takeOrRefuse(limit, key)
    let isGuess = false
    try {
      return await run()
    } catch (error) {
      isGuess = error instanceof AppError && GUESSES.has(error.code)
      throw error
    } finally {
      if (!isGuess) limit.giveBack(key)
    }
  }
}
