import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type Channel, channelEndpoints, type TestEndpoint } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { errorText } from '../../lib/report-error.ts'
import { showError, showSuccess } from '../../lib/toast.ts'
import { CHANNELS } from './queries.ts'

const KEY = ['test-channel']
export const MILLISECONDS = 1000

type TestRequest = Pick<Channel, 'id' | 'name'> & {
  model?: string
  endpoint?: TestEndpoint | undefined
  /** Tests this key alone. */
  key_id?: string
}

/** `isQuiet` is for places that show the outcome themselves, as long as they are open. */
export function useTestChannel({ isQuiet = false } = {}) {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = isQuiet
    return () => {
      isShown.current = false
    }
  }, [isQuiet])
  const { t } = useTranslation()
  const client = useQueryClient()
  return useMutation({
    mutationKey: KEY,
    meta: { quiet: isQuiet },
    mutationFn: ({ id, model, endpoint, key_id }: TestRequest) =>
      call(channelEndpoints.testChannel, { params: { id }, query: { model, endpoint, key_id } }),
    onSuccess: ({ data }, { name }) => {
      if (isShown.current) return
      showSuccess(
        t('channel.action.tested', { name, time: formatDuration(Math.round(data * MILLISECONDS)) }),
      )
    },
    onError: (error) => {
      if (isQuiet && !isShown.current) showError(errorText(error))
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: CHANNELS }),
        client.invalidateQueries({ queryKey: ['channel'] }),
        client.invalidateQueries({ queryKey: ['first-steps'] }),
      ]),
  })
}

export function useIsTesting(id: number): boolean {
  const running = useMutationState({
    filters: { mutationKey: KEY, status: 'pending' },
    // Safe because only useTestChannel creates mutations with this key.
    select: ({ state }) => (state.variables as TestRequest | undefined)?.id,
  })
  return running.includes(id)
}
