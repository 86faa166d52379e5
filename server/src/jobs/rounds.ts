import type { Logger } from 'pino'

type Rounds = {
  round: (signal: AbortSignal) => Promise<void>
  pauseMs: number
  /** Before the first round. */
  firstMs: number
  log: Pick<Logger, 'warn'>
  /** What is told once when rounds begin to fail. */
  failure: string
}

/** Runs a round again and again; what stops it waits for the one that is under way. */
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
