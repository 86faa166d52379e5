import type { Clock } from '../../clock.ts'
import { InFlight } from '../in-flight.ts'
import type { GatewayLimits } from '../limits.ts'

/**
 * Waits for settlements to be written. Takes long only if disk and database are both unavailable.
 */
export type PendingSettlements = {
  /**
   * True once written; false after `settleWaitMs`, while writing continues. Rejects if writing
   * fails.
   */
  track: (writing: Promise<void>) => Promise<boolean>
  /** Resolves when all pending writes are done. */
  flushed: () => Promise<void>
}

export function createPendingSettlements(
  { settleWaitMs }: Pick<GatewayLimits, 'settleWaitMs'>,
  clock: Clock,
): PendingSettlements {
  const pending = new InFlight<Promise<void>>()
  const watch = (writing: Promise<void>) =>
    new Promise<boolean>((resolve, reject) => {
      const slot = pending.begin(writing)
      const timer = clock.after(settleWaitMs, () => resolve(false))
      const end = () => {
        timer.close()
        pending.end(slot)
      }
      writing.then(end, end)
      writing.then(() => resolve(true), reject)
    })
  /** Settlements that are written together have the same promise. */
  let latest: { readonly writing: Promise<void>; readonly stored: Promise<boolean> } | null = null
  return {
    track: (writing) => {
      if (latest?.writing !== writing) latest = { writing, stored: watch(writing) }
      return latest.stored
    },
    flushed: () => pending.whenIdle(),
  }
}
