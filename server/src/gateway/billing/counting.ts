import type { OptionValues } from '@tollgate/contract'
import { countOptions, type CountOptions } from '@tollgate/relay'
import { scheduler } from '../../scheduler/fair-scheduler.ts'

/** How tokens are counted: as the options have it, and in turns with those of other users. */
export const countingFor = (options: OptionValues, user: number): CountOptions => ({
  ...countOptions(options),
  run: (steps) => scheduler.run(user, steps),
})
