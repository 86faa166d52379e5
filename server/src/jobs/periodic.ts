import type { Logger } from 'pino'

type PeriodicJob = {
  run: (signal: AbortSignal) => Promise<void>
  pauseMs: number
  /** Before the first round. */
  firstMs: number
  log: Pick<Logger, 'warn'>
  /** Logged once when rounds begin to fail. */
  failure: string
}

/** Runs rounds with a pause between them. `stop` waits for a running round. */
export function startPeriodic({ run, pauseMs, firstMs, log, failure }: PeriodicJob): {
  stop: () => Promise<void>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isFailing = false

  const start = () => {
    running = run(signal)
      .then(
        () => (isFailing = false),
        (error: unknown) => {
          if (!isFailing) log.warn({ error }, failure)
          isFailing = true
        },
      )
      .then(() => schedule(pauseMs))
  }
  const schedule = (milliseconds: number) => {
    if (!signal.aborted) timer = setTimeout(start, milliseconds).unref()
  }
  schedule(firstMs)
  return {
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
