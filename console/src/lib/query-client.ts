import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallError } from './call.ts'
import { reportError } from './report-error.ts'

const FRESH_MS = 10_000

/** Only a lost connection is worth a second try; the server's refusals stay what they are. */
function shouldRetry(failureCount: number, error: unknown) {
  return failureCount < 1 && error instanceof CallError && error.failure.kind === 'network'
}

/** Errors of all calls become toasts here, unless the query's meta says `quiet`. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.meta?.['quiet'] !== true) reportError(error, onSignedOut)
      },
    }),
    mutationCache: new MutationCache({ onError: (error) => reportError(error, onSignedOut) }),
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: shouldRetry, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  })
}
