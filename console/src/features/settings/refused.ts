import { CallError } from '../../lib/call.ts'
import { errorText } from '../../lib/report-error.ts'

/** The error with what failed said before it; being signed out stays what it is. */
export function refusedWith(error: unknown, say: (message: string) => string): unknown {
  if (error instanceof CallError && error.failure.kind === 'http' && error.failure.status === 401) {
    return error
  }
  return new CallError({ kind: 'refused', message: say(errorText(error)) }, error)
}
