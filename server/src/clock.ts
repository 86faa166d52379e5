/** Time and the event loop, so that tests and a simulator can drive them. */
export type Clock = {
  /** Wall clock in milliseconds; may be set back. */
  readonly now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  readonly monotonic: () => number
  /** Runs `run` after everything that is queued in this turn of the event loop. */
  readonly soon: (run: () => void) => void
  /** Runs `run` after `ms` milliseconds. */
  readonly after: (ms: number, run: () => void) => Timer
}

/** A subset of Node's `Timeout`, so that the real clock allocates nothing else. */
export type Timer = {
  /** Cancels the timer. */
  readonly close: () => unknown
  /** Waits the whole time again. A timer that has fired fires again; a closed timer never does. */
  readonly refresh: () => unknown
  /** Allows the process to exit before the timer fires. */
  readonly unref: () => unknown
}

export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  soon: (run) => {
    setImmediate(run)
  },
  after: (ms, run) => setTimeout(run, ms),
}

export const sleep = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve)
  })

/** Yields to the event loop. */
export const yieldToEventLoop = (clock: Clock): Promise<void> =>
  new Promise((resolve) => clock.soon(resolve))

/** Rejects when `work` takes longer than `ms`. Does not cancel `work`. */
export function within<Value>(clock: Clock, ms: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new Error(`took longer than ${ms} ms`)))
    work.then(resolve, reject).finally(() => timer.close())
  })
}
