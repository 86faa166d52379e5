/** Time and the event loop, so that a simulator can drive them. */
export type Clock = {
  /** By the wall, in milliseconds; may be set back. */
  readonly now: () => number
  /** Milliseconds since some moment; never fewer than before. */
  readonly monotonic: () => number
  /** Runs it when all that waits in this turn of the event loop has run. */
  readonly soon: (run: () => void) => void
  /** Runs it so many milliseconds from now; what is returned cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
}

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  soon: (run) => {
    setImmediate(run)
  },
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Lets everything else have its turn. */
export const nextTurn = (clock: Clock): Promise<void> =>
  new Promise((resolve) => clock.soon(resolve))

/** Rejects when it takes longer, whatever becomes of it then. */
export function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`took longer than ${ms} ms`)))
    work.then(resolve, reject).finally(cancel)
  })
}
