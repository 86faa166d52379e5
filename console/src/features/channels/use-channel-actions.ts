import { type Channel, CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { useManaged } from '../../lib/managed.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import '../../ui/managed.messages.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { CHANNELS } from './queries.ts'
import { useChannelToggle } from './use-channel-toggle.ts'
import { useTestChannel } from './use-test-channel.ts'

/** `onTestWith` opens the dialog that chooses the test model. */
export function useChannelActions(onTestWith: (channel: Channel) => void) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const managed = useManaged()
  const test = useTestChannel()
  const { toggle } = useChannelToggle()
  const remove = useChange(CHANNELS, (id: number) =>
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

  return (channel: Channel): RowAction[] => {
    const { id, name, status } = channel
    const isEnabled = status === CHANNEL_STATUS.enabled
    return [
      { label: t('channel.action.test'), onSelect: () => test.mutate({ id, name }) },
      { label: t('channel.action.testWith'), onSelect: () => onTestWith(channel) },
      { label: t('common.action.edit'), onSelect: () => void navigate(`/channel/edit/${id}`) },
      {
        label: t('channel.action.duplicate'),
        onSelect: () => void navigate(`/channel/add?from=${id}`),
      },
      {
        label: t(isEnabled ? 'common.action.disable' : 'common.action.enable'),
        onSelect: () => toggle(channel),
      },
      {
        label: t('common.action.delete'),
        onSelect: () => void askAndDelete(channel),
        danger: true,
        reason: managed.ofChannel(id)?.isLocked === true ? t('managed.short') : null,
      },
    ]
  }
}
