import type { OptionValues } from '@tollgate/contract'
import { countOptions, type CountOptions } from '@tollgate/relay'
import { countThread } from '../../scheduler/count-thread.ts'
import { scheduler } from '../../scheduler/fair-scheduler.ts'

/**
 * Counts as the options say, in turn with the work of other users. `bytes` is the memory that the
 * request keeps until it is counted.
 */
export const countingFor = (options: OptionValues, user: number, bytes = 0): CountOptions => ({
  ...countOptions(options),
  run: (steps) => scheduler.run(user, steps),
  countTexts: (encoding, texts) => countThread.count({ owner: user, bytes }, encoding, texts),
})

export type Counting = CountOptions & {
  readonly model: string
  /** `approximate` if any text so far was too large to be counted exactly. */
  readonly source: () => 'counted' | 'approximate'
}

export function countingOf(
  options: OptionValues,
  { model, user }: { model: string; user: number },
): Counting {
  let isApproximate = false
  return {
    ...countingFor(options, user),
    model,
    onEstimate: () => {
      isApproximate = true
    },
    source: () => (isApproximate ? 'approximate' : 'counted'),
  }
}
