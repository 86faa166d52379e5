/** Time and the event loop, so that a simulator can drive them. */
export type Clock = {
  /** Wall clock in milliseconds; may be set back. */
  readonly now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  readonly monotonic: () => number
  /** Runs `run` after everything that is queued in this turn of the event loop. */
  readonly soon: (run: () => void) => void
  /** Runs `run` after `ms` milliseconds. The returned function cancels the timer. */
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

/** Yields to the event loop. */
export const yieldToEventLoop = (clock: Clock): Promise<void> =>
  new Promise((resolve) => clock.soon(resolve))

/** Rejects when `work` takes longer than `ms`. Does not cancel `work`. */
export function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`took longer than ${ms} ms`)))
    work.then(resolve, reject).finally(cancel)
  })
}
