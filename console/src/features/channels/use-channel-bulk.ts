import { useTranslation } from 'react-i18next'
import { type Channel, CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { useBulk } from '../../lib/use-bulk.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { LISTS } from './queries.ts'

const { enabled, disabled } = CHANNEL_STATUS

const isEnabled = ({ status }: Channel) => status === enabled

const setStatus = ({ id }: Channel, status: 1 | 2) =>
  call(channelEndpoints.updateChannel, { body: { id, status } })

const test = ({ id }: Channel) => call(channelEndpoints.testChannel, { params: { id }, query: {} })

const remove = ({ id }: Channel) => call(channelEndpoints.deleteChannel, { params: { id } })

/** What is done to the channels that are selected. */
export function useChannelBulk() {
  const { t } = useTranslation()
  const { progress, run } = useBulk<Channel>(LISTS)
  const actions = (channels: readonly Channel[]): RowAction[] => {
    const on = channels.filter(isEnabled)
    const off = channels.filter((channel) => !isEnabled(channel))
    const reason = (some: readonly Channel[]) => (some.length > 0 ? null : t('table.bulk.none'))
    const verb = t('channel.bulk.deleteSelected', { count: channels.length })
    return [
      { label: t('channel.action.test'), onSelect: () => run({ rows: channels, each: test }) },
      {
        label: t('common.action.enable'),
        reason: reason(off),
        onSelect: () => run({ rows: off, each: (channel) => setStatus(channel, enabled) }),
      },
      {
        label: t('common.action.disable'),
        reason: reason(on),
        onSelect: () => run({ rows: on, each: (channel) => setStatus(channel, disabled) }),
      },
      {
        label: t('common.action.delete'),
        danger: true,
        onSelect: () =>
          run({
            rows: channels,
            each: remove,
            question: {
              title: `${verb}?`,
              body: t('channel.bulk.deleteSelectedBody'),
              verb,
              danger: true,
            },
          }),
      },
    ]
  }
  return { actions, progress }
}
