import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { type Channel, CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { showSuccess } from '../../lib/toast.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { useChannelChange } from './queries.ts'
import { useTestChannel } from './use-test-channel.ts'

export function useChannelActions(): (channel: Channel) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const test = useTestChannel()
  const setStatus = useChannelChange((body: { id: number; status: 1 | 2 }) =>
    call(channelEndpoints.updateChannel, { body }),
  )
  const remove = useChannelChange((id: number) =>
    call(channelEndpoints.deleteChannel, { params: { id } }),
  )
  const onSuccess = () => {
    showSuccess(t('common.toast.done'))
  }

  const askAndDelete = async ({ id, name }: Channel) => {
    const yes = await confirm({
      title: t('channel.action.deleteTitle', { name }),
      body: t('channel.action.deleteBody'),
      verb: t('channel.action.deleteVerb', { name }),
      danger: true,
    })
    if (yes) remove.mutate(id, { onSuccess })
  }

  return (channel) => {
    const { id, status } = channel
    const isEnabled = status === CHANNEL_STATUS.enabled
    const next = isEnabled ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled
    return [
      { label: t('channel.action.test'), onSelect: () => test.mutate(channel) },
      { label: t('common.action.edit'), onSelect: () => void navigate(`/channel/edit/${id}`) },
      {
        label: t(isEnabled ? 'common.action.disable' : 'common.action.enable'),
        onSelect: () => setStatus.mutate({ id, status: next }, { onSuccess }),
      },
      {
        label: t('common.action.delete'),
        onSelect: () => void askAndDelete(channel),
        danger: true,
      },
    ]
  }
}
