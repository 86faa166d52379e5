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

export function createClosing({ closeWaitMs }: Pick<GatewayLimits, 'closeWaitMs'>): Closing {
  const pending = new InFlight<Promise<void>>()
  return {
    close: (writing) =>
      new Promise((resolve, reject) => {
        pending.begin(writing)
        const timer = setTimeout(() => resolve(false), closeWaitMs)
        const ended = () => {
          clearTimeout(timer)
          pending.end(writing)
        }
        writing.finally(ended).then(() => resolve(true), reject)
      }),
    settled: () => pending.whenIdle(),
  }
}
