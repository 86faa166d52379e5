import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallError } from './call.ts'
import { reportError } from './report-error.ts'

const FRESH_MS = 10_000

/** Only a lost connection is worth a second try; the server's refusals stay what they are. */
function shouldRetry(failureCount: number, error: unknown) {
  if (failureCount > 0 || !(error instanceof CallError)) return false
  return error.failure.kind === 'network' && error.failure.reason !== 'late'
}

/** Errors of all calls become toasts here, unless the meta of the query or change says `quiet`. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const report = (error: Error, meta: Record<string, unknown> | undefined) =>
    reportError(error, { onSignedOut, isQuiet: meta?.['quiet'] === true })
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error, { meta }) => report(error, meta) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => report(error, meta),
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: shouldRetry,
        refetchOnWindowFocus: true,
        // A call made without a network fails and says so, instead of waiting unseen for one.
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
