import type { Logger } from 'pino'

type Rounds = {
  round: (signal: AbortSignal) => Promise<void>
  pauseMs: number
  /** Before the first round. */
  firstMs: number
  log: Pick<Logger, 'warn'>
  /** Logged once when rounds begin to fail. */
  failure: string
}

/** Runs rounds with a pause between them. `stop` waits for a running round. */
export function startRounds({ round, pauseMs, firstMs, log, failure }: Rounds): {
  stop: () => Promise<void>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isOut = false

  const look = () => {
    running = round(signal)
      .then(
        () => (isOut = false),
        (error: unknown) => {
          if (!isOut) log.warn({ error }, failure)
          isOut = true
        },
      )
      .then(() => lookIn(pauseMs))
  }
  const lookIn = (milliseconds: number) => {
    if (!signal.aborted) timer = setTimeout(look, milliseconds).unref()
  }
  lookIn(firstMs)
  return {
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
