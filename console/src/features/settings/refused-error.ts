import { CallError } from '../../lib/call.ts'
import { errorText } from '../../lib/report-error.ts'

/**
 * Prefixes the error with what failed. A 401 error is returned unchanged, so that the session ends.
 */
export function refusedWith(error: unknown, format: (message: string) => string): unknown {
  if (error instanceof CallError && error.failure.kind === 'http' && error.failure.status === 401) {
    return error
  }
  return new CallError({ kind: 'refused', message: format(errorText(error)) }, error)
}
