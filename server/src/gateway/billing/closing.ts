import type { Clock } from '../../clock.ts'
import { InFlight } from '../in-flight.ts'
import type { GatewayLimits } from '../limits.ts'

/**
 * Waits for settlements to be written. Takes long only if disk and database are both unavailable.
 */
export type Closing = {
  /**
   * True once written; false after `closeWaitMs`, while writing continues. Rejects if writing
   * fails.
   */
  close: (writing: Promise<void>) => Promise<boolean>
  /** Resolves when all pending writes are done. */
  settled: () => Promise<void>
}

export function createClosing(
  { closeWaitMs }: Pick<GatewayLimits, 'closeWaitMs'>,
  clock: Clock,
): Closing {
  const pending = new InFlight<Promise<void>>()
  return {
    close: (writing) =>
      new Promise((resolve, reject) => {
        pending.begin(writing)
        const timer = clock.after(closeWaitMs, () => resolve(false))
        const ended = () => {
          timer.close()
          pending.end(writing)
        }
        writing.finally(ended).then(() => resolve(true), reject)
      }),
    settled: () => pending.whenIdle(),
  }
}
