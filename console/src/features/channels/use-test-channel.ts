import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type Channel, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { showSuccess } from '../../lib/toast.ts'
import { CHANNELS } from './queries.ts'

const KEY = ['test-channel']
const MILLISECONDS = 1000

type Wanted = Pick<Channel, 'id' | 'name'> & { model?: string }

/** Sends one small request through the channel and tells how long the answer took. */
export function useTestChannel() {
  const { t } = useTranslation()
  const client = useQueryClient()
  return useMutation({
    mutationKey: KEY,
    mutationFn: ({ id, model }: Wanted) =>
      call(channelEndpoints.testChannel, { params: { id }, query: { model } }),
    onSuccess: ({ data }, { name }) => {
      showSuccess(t('channel.action.tested', { name, time: formatDuration(data * MILLISECONDS) }))
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: CHANNELS }),
        client.invalidateQueries({ queryKey: ['first-steps'] }),
      ]),
  })
}

type LastTest = { isRunning: boolean; failure: string | null }

/** How the last test of this channel from this page went, as far as it is remembered. */
export function useLastTest(id: number): LastTest {
  const tests = useMutationState({
    filters: { mutationKey: KEY },
    select: ({ state }) => ({
      // Safe because only useTestChannel makes mutations under this key.
      id: (state.variables as Wanted | undefined)?.id,
      status: state.status,
      error: state.error,
    }),
  })
  const last = tests.findLast((test) => test.id === id)
  return {
    isRunning: last?.status === 'pending',
    failure: last?.status === 'error' ? errorText(last.error) : null,
  }
}
