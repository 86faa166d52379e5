import { CallError } from './call.ts'
import { Cancelled } from './cancelled.ts'
import { errorText } from './report-error.ts'
import { retryAfterWait } from './retry-after-wait.ts'

export type Outcome = {
  done: number
  failed: number
  /** Error of the first failure. */
  reason: string | null
}

type EachOptions<Row> = {
  rows: readonly Row[]
  each: (row: Row) => Promise<unknown>
  signal: AbortSignal
  onProgress: (finished: number) => void
}

/** Runs an action on rows one after another. A failed row does not stop the rest. */
export async function runEach<Row>({
  rows,
  each,
  signal,
  onProgress,
}: EachOptions<Row>): Promise<Outcome> {
  const outcome: Outcome = { done: 0, failed: 0, reason: null }
  for (const row of rows) {
    if (signal.aborted) break
    try {
      await retryAfterWait(() => each(row), { signal, onWait: () => {} })
      outcome.done += 1
    } catch (error) {
      // After a cancel, the confirmation dialog would open again for each remaining row.
      if (signal.aborted || error instanceof Cancelled) break
      if (isSignedOut(error)) throw error
      outcome.failed += 1
      outcome.reason ??= errorText(error)
      if (isOffline(error)) break
    }
    onProgress(outcome.done + outcome.failed)
  }
  return outcome
}

const isSignedOut = (error: unknown) =>
  error instanceof CallError && error.failure.kind === 'http' && error.failure.status === 401

/** Stops the run, because the remaining rows would fail the same way. */
const isOffline = (error: unknown) => error instanceof CallError && error.failure.kind === 'network'
