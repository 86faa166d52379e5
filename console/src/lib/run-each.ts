import { CallError } from './call.ts'
import { Cancelled } from './cancelled.ts'
import { patiently } from './patiently.ts'
import { errorText } from './report-error.ts'

export type Outcome = {
  done: number
  failed: number
  /** Why the first one failed. */
  reason: string | null
}

type Job<Row> = {
  rows: readonly Row[]
  each: (row: Row) => Promise<unknown>
  signal: AbortSignal
  onProgress: (finished: number) => void
}

/** Does the same to many rows, one after another; one that fails does not keep the others from it. */
export async function runEach<Row>({ rows, each, signal, onProgress }: Job<Row>): Promise<Outcome> {
  const outcome: Outcome = { done: 0, failed: 0, reason: null }
  for (const row of rows) {
    if (signal.aborted) break
    try {
      await patiently(() => each(row), { signal, onWait: () => {} })
      outcome.done += 1
    } catch (error) {
      // Cancelled for one row, it would be asked again for each of the others.
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

/** What cannot be reached for one row is not asked for all the others. */
const isOffline = (error: unknown) => error instanceof CallError && error.failure.kind === 'network'
