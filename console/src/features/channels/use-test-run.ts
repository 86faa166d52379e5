import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type BulkProgress, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { getStored, setStored } from '../../lib/storage.ts'
import { CHANNELS } from './queries.ts'

const KEY = ['test-run']
const STARTED = 'test_run'
const POLL_MS = 1000
const POLL_AFTER_FAILURE_MS = 10_000

async function readProgress(client: QueryClient, signal: AbortSignal): Promise<BulkProgress> {
  const wasRunning = client.getQueryData<BulkProgress | null>(KEY)?.running
  const { data } = await call(channelEndpoints.getTestProgress, {}, signal)
  setStored(STARTED, data.running ? 'true' : null)
  if (wasRunning && !data.running) void client.invalidateQueries({ queryKey: CHANNELS })
  return data
}

const query = {
  queryKey: KEY,
  queryFn: ({ client, signal }: { client: QueryClient; signal: AbortSignal }) =>
    readProgress(client, signal),
  gcTime: Infinity,
}

/**
 * The last test run known to this browser. Polled only while it runs and the page is visible;
 * survives navigation and reloads.
 */
export function useTestRun() {
  const client = useQueryClient()
  const progress = useQuery({
    ...query,
    staleTime: 0,
    enabled: ({ state }) =>
      state.data === undefined ? getStored(STARTED) === 'true' : state.data?.running === true,
    refetchInterval: ({ state }) => {
      if (state.data?.running !== true) return false
      return state.status === 'error' ? POLL_AFTER_FAILURE_MS : POLL_MS
    },
  })
  const start = useMutation({
    mutationFn: (scope: 'all' | 'disabled') =>
      call(channelEndpoints.testChannels, { query: { scope } }),
    // Also after a refusal, to show a run that someone else has started.
    onSettled: async () => {
      const { running } = await client.query({ ...query, staleTime: 0 })
      if (!running) await client.invalidateQueries({ queryKey: CHANNELS })
    },
  })
  return {
    progress: progress.data,
    start: (scope: 'all' | 'disabled') => start.mutate(scope),
    dismiss: () => client.setQueryData<BulkProgress | null>(KEY, null),
  }
}
