import type { GatewayLimits } from './limits.ts'

/** Waits for the ends of requests to be written, which takes long only when disk and database are away. */
export type Closing = {
  /** Waits for the write, or for `closeWaitMs` while it goes on in the background. Throws what it throws. */
  close: (writing: Promise<void>) => Promise<void>
  /** Resolves when nothing is left to write. */
  settled: () => Promise<void>
}

export function createClosing({ closeWaitMs }: Pick<GatewayLimits, 'closeWaitMs'>): Closing {
  const pending = new Set<Promise<void>>()
  const forget = async (writing: Promise<void>) => {
    try {
      await writing
    } finally {
      pending.delete(writing)
    }
  }
  return {
    close: async (writing) => {
      pending.add(writing)
      forget(writing).catch(() => {
        // Whoever waits for it below is told.
      })
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, closeWaitMs)
      try {
        await Promise.race([writing, late])
      } finally {
        clearTimeout(timer)
      }
    },
    settled: async () => {
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}
