import type { Logger } from 'pino'
import type { OptionValues } from '@tollgate/contract'
import { countOptions, type CountOptions, onEncodingLoadFailure } from '@tollgate/relay'
import { countThread } from '../../scheduler/count-thread.ts'
import { scheduler } from '../../scheduler/fair-scheduler.ts'

/**
 * Counts as the options say, in turn with the work of other users. `bytes` is the memory that the
 * request keeps until it is counted.
 */
export const countOptionsFor = (options: OptionValues, user: number, bytes = 0): CountOptions => ({
  ...countOptions(options),
  run: (steps) => scheduler.run(user, steps),
  countTexts: (encoding, texts) => countThread.count({ owner: user, bytes }, encoding, texts),
})

export type TokenCounter = CountOptions & {
  readonly model: string
  /** `approximate` if any text so far was too large to be counted exactly. */
  readonly source: () => 'counted' | 'approximate'
}

export function createTokenCounter(
  options: OptionValues,
  { model, user }: { model: string; user: number },
): TokenCounter {
  let isApproximate = false
  return {
    ...countOptionsFor(options, user),
    model,
    onEstimate: () => {
      isApproximate = true
    },
    source: () => (isApproximate ? 'approximate' : 'counted'),
  }
}

/**
 * Logs each encoding once, not once per request. Receipts mark the affected charges as estimates.
 */
export function warnOfLostEncodings(log: Pick<Logger, 'warn'>) {
  const logged = new Set<string>()
  onEncodingLoadFailure((encoding, error) => {
    if (logged.has(encoding)) return
    logged.add(encoding)
    log.warn({ error, encoding }, 'tokens cannot be counted and are estimated')
  })
}
