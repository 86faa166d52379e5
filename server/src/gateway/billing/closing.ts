import { Running } from '../in-flight.ts'
import type { GatewayLimits } from '../limits.ts'

/** Waits for the ends of requests to be written, which takes long only when disk and database are away. */
export type Closing = {
  /** True when it is written; false after `closeWaitMs`, while it goes on in the background. Throws what it throws. */
  close: (writing: Promise<void>) => Promise<boolean>
  /** Resolves when nothing is left to write. */
  settled: () => Promise<void>
}

export function createClosing({ closeWaitMs }: Pick<GatewayLimits, 'closeWaitMs'>): Closing {
  const pending = new Running<Promise<void>>()
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
    settled: () => pending.none(),
  }
}
