import { AppError } from '@tollgate/contract'
import { createAttemptLimit, type LimitDeps, takeOrRefuse } from '../attempt-limit.ts'

const WINDOW_SECONDS = 20 * 60
const FAILURES_MAX = 20

/** Errors that a guessed code causes. */
const GUESSES = new Set(['redemption_unusable', 'gift_code_unknown'])

/** Runs a redemption. Throws `too_many_requests` after too many guesses by one account. */
export function createRedeemLimit(deps: LimitDeps) {
  const limit = createAttemptLimit(deps, {
    name: 'redemption',
    most: FAILURES_MAX,
    seconds: WINDOW_SECONDS,
  })
  return async (userId: number, run: () => Promise<number>): Promise<number> => {
    const key = String(userId)
    await takeOrRefuse(limit, key)
    let isGuess = false
    try {
      return await run()
    } catch (error) {
      isGuess = error instanceof AppError && GUESSES.has(error.code)
      throw error
    } finally {
      if (!isGuess) await limit.release(key)
    }
  }
}
