import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type Channel, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { showSuccess } from '../../lib/toast.ts'

const KEY = ['test-channel']
const MILLISECONDS = 1000

type Tested = Pick<Channel, 'id' | 'name'>

/** Sends one small request through the channel and tells how long the answer took. */
export function useTestChannel() {
  const { t } = useTranslation()
  const client = useQueryClient()
  return useMutation({
    mutationKey: KEY,
    mutationFn: ({ id }: Tested) =>
      call(channelEndpoints.testChannel, { params: { id }, query: {} }),
    onSuccess: ({ data }, { name }) => {
      showSuccess(t('channel.action.tested', { name, time: formatDuration(data * MILLISECONDS) }))
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['channels'] }),
        client.invalidateQueries({ queryKey: ['first-steps'] }),
      ]),
  })
}

/** Whether a test of this channel is running. */
export function useIsTesting(id: number): boolean {
  const running = useMutationState<Tested | undefined>({
    filters: { mutationKey: KEY, status: 'pending' },
    // Safe because only useTestChannel makes mutations under this key.
    select: (mutation) => mutation.state.variables as Tested | undefined,
  })
  return running.some((channel) => channel?.id === id)
}
