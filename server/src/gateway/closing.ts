import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { GatewayLimits } from './limits.ts'
import { isOwnBug } from './own-bug.ts'

/** Writes the ends of requests, again and again while the database is away. */
export type Closing = {
  /**
   * Waits for the write, or for `closeWaitMs` (then undefined) while it goes on in the background.
   * `write` must be safe to call again after it failed, as closing a hold is. Throws for a bug of ours.
   */
  close: <Result>(write: () => Promise<Result>) => Promise<Result | undefined>
  /** Resolves when nothing is left to write. */
  settled: () => Promise<void>
}

/** What is beyond is left to the close of this run at the next start, which gives it back. */
const PENDING_MAX = 100_000
const PAUSE_FACTOR_MAX = 100

export function createClosing(
  { closeWaitMs, closeRetryMs }: Pick<GatewayLimits, 'closeWaitMs' | 'closeRetryMs'>,
  log: Logger,
): Closing {
  const pending = new Set<Promise<unknown>>()

  const persist = async <Result>(write: () => Promise<Result>): Promise<Result | undefined> => {
    for (let factor = 1; ; factor = Math.min(factor * 2, PAUSE_FACTOR_MAX)) {
      try {
        return await write()
      } catch (error) {
        if (isOwnBug(error)) throw error
        if (factor === 1) log.error({ error }, 'the end of a request is not written; trying again')
        if (pending.size > PENDING_MAX) {
          log.error('too many ends of requests are not written; this one is given up')
          return undefined
        }
      }
      await pause(closeRetryMs * factor)
    }
  }

  return {
    close: async (write) => {
      const writing = persist(write)
      pending.add(writing)
      writing.then(
        () => pending.delete(writing),
        () => pending.delete(writing),
      )
      const giveUp = new AbortController()
      const waited = pause(closeWaitMs, undefined, { signal: giveUp.signal }).catch(() => undefined)
      const result = await Promise.race([writing, waited])
      giveUp.abort()
      return result
    },
    settled: async () => {
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}
