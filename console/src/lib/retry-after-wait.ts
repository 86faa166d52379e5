import { CallError } from './call.ts'

const WAITS_MAX = 5
const WAIT_SECONDS_DEFAULT = 5
const WAIT_SECONDS_MAX = 180

type RetryOptions = { signal: AbortSignal; onWait: (seconds: number) => void }

/** Repeats a rate-limited call after the Retry-After the server names. */
export async function retryAfterWait<Result>(
  call: () => Promise<Result>,
  { signal, onWait }: RetryOptions,
): Promise<Result> {
  for (let waits = 0; ; waits += 1) {
    signal.throwIfAborted()
    try {
      return await call()
    } catch (error) {
      const seconds = secondsToWait(error)
      if (seconds === null || waits === WAITS_MAX) throw error
      onWait(seconds)
      await pause(seconds, signal)
    }
  }
}

function secondsToWait(error: unknown): number | null {
  if (!(error instanceof CallError) || error.failure.kind !== 'http') return null
  const { status, retryAfterSeconds } = error.failure
  if (status !== 429) return null
  return Math.min(retryAfterSeconds ?? WAIT_SECONDS_DEFAULT, WAIT_SECONDS_MAX)
}

/** Resolves early when the signal aborts. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
