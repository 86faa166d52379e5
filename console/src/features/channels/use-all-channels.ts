import { useIsFetching, useMutation, useQueryClient } from '@tanstack/react-query'
import { channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import type { Total } from '../../lib/call.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatNumber } from '../../lib/format.ts'
import { showInfo, showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { STATUS_CHOICES } from './channel-filter.ts'
import { CHANNELS } from './queries.ts'

async function countDisabled(): Promise<Total> {
  const query = { status: STATUS_CHOICES.notEnabled, size: 1 }
  const { total } = await call(channelEndpoints.listChannels, { query })
  return total ?? { count: 0, more: false }
}

export function useAllChannels() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const isRefreshing = useIsFetching({ queryKey: CHANNELS }) > 0
  const count = useMutation({ mutationFn: countDisabled })
  const askBalances = useMutation({
    mutationFn: () => call(channelEndpoints.updateBalances, {}),
    onSuccess: () => {
      showInfo(t('channel.bulk.balancesStarted'))
    },
  })
  const remove = useChange(CHANNELS, () => call(channelEndpoints.deleteDisabledChannels, {}))

  const deleteDisabled = async () => {
    const { count: disabled, more } = await count.mutateAsync()
    if (disabled === 0) {
      showInfo(t('channel.bulk.noneDisabled'))
      return
    }
    const number = `${formatNumber(disabled)}${more ? '+' : ''}`
    const yes = await confirm({
      title: t('channel.bulk.deleteTitle', { count: disabled, number }),
      body: t('channel.bulk.deleteBody'),
      verb: t('channel.bulk.deleteVerb', { number }),
      danger: true,
      typed: { text: number, error: t('channel.bulk.deleteTyped') },
    })
    if (!yes) return
    remove.mutate(undefined, {
      onSuccess: ({ data }) => {
        showSuccess(t('channel.bulk.deleted', { number: formatNumber(data) }))
      },
    })
  }

  return {
    isRefreshing,
    refresh: () => {
      void client.invalidateQueries({ queryKey: CHANNELS })
      void client.invalidateQueries({ queryKey: ['channel-stats'] })
    },
    askBalances: () => askBalances.mutate(),
    // The error was already reported.
    deleteDisabled: () => deleteDisabled().catch(() => {}),
  }
}
