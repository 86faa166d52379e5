import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallError } from './call.ts'
import { reportError } from './report-error.ts'

const FRESH_MS = 10_000

/** Retries only lost connections, once. Server refusals are final. */
function shouldRetry(failureCount: number, error: unknown) {
  if (failureCount > 0 || !(error instanceof CallError)) return false
  return error.failure.kind === 'network' && error.failure.reason !== 'late'
}

/**
 * Shows errors of all calls as toasts, unless the query's or mutation's meta sets `quiet`. With
 * `shownByPage`, the first failure is the whole page, so only later failures become toasts.
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const report = (error: Error, meta: Record<string, unknown> | undefined) =>
    reportError(error, { onSignedOut, isQuiet: meta?.['quiet'] === true })
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { meta, state }) => {
        const isPage = meta?.['shownByPage'] === true && state.data === undefined
        report(error, isPage ? { quiet: true } : meta)
      },
    }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => report(error, meta),
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: shouldRetry,
        refetchOnWindowFocus: true,
        // Offline calls fail with a message instead of waiting silently for a network.
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
