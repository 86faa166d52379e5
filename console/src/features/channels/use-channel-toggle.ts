import { type Channel, CHANNEL_STATUS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { showSuccess, showUndoable } from '../../lib/toast.ts'
import { useChannelPatch } from './queries.ts'

const { enabled, disabled } = CHANNEL_STATUS

/** Switches a channel at once. Disabling cuts off its requests, so it can be undone for a while. */
export function useChannelToggle(onSettled: () => void = () => {}) {
  const { t } = useTranslation()
  const { mutateAsync, isPending } = useChannelPatch()
  // Callbacks of `mutate` are lost with the page, and with the next call.
  const set = (channel: Channel, status: 1 | 2, onSuccess: () => void) =>
    void mutateAsync({ row: channel, input: { status } })
      .then(onSuccess, () => {})
      .then(onSettled)
  const enable = (channel: Channel) =>
    set(channel, enabled, () => showSuccess(t('common.toast.done')))
  const toggle = (channel: Channel) => {
    if (channel.status !== enabled) return enable(channel)
    const text = t('channel.action.disabled', { name: channel.name })
    set(channel, disabled, () =>
      showUndoable(text, {
        verb: t('common.action.undo'),
        act: () => enable({ ...channel, status: disabled }),
      }),
    )
  }
  return { toggle, isPending }
}
