import { type Channel, CHANNEL_STATUS, channelEndpoints } from '@tollgate/contract'
import { joinNames, t as translate } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import type { Question } from '../../lib/confirm.ts'
import { useBulk } from '../../lib/use-bulk.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { usualBulk } from '../../ui/data-table/usual-bulk.ts'
import { CHANNELS } from './queries.ts'

const { enabled, disabled } = CHANNEL_STATUS

const isEnabled = ({ status }: Channel) => status === enabled

const setStatus = ({ id }: Channel, status: 1 | 2) =>
  call(channelEndpoints.updateChannel, { body: { id, status } })

const test = ({ id }: Channel) => call(channelEndpoints.testChannel, { params: { id }, query: {} })

const remove = ({ id }: Channel) => call(channelEndpoints.deleteChannel, { params: { id } })

/** The names of more channels would hide the question. */
const NAMES_MAX = 10

function disableQuestion(channels: readonly Channel[]): Question {
  const verb = translate('channel.bulk.disableSelected', { count: channels.length })
  const named = channels.slice(0, NAMES_MAX).map(({ name }) => name)
  const names = joinNames([...named, ...(channels.length > NAMES_MAX ? ['…'] : [])])
  return {
    title: `${verb}?`,
    body: translate('channel.bulk.disableSelectedBody', { names }),
    verb,
    danger: true,
  }
}

/** `onEdit` opens the dialog that changes several channels. */
export function useChannelBulk(onEdit: (channels: readonly Channel[]) => void) {
  const { t } = useTranslation()
  const { progress, run } = useBulk<Channel>(CHANNELS)
  const actions = (channels: readonly Channel[]): RowAction[] => [
    { label: t('channel.action.test'), onSelect: () => run({ rows: channels, each: test }) },
    { label: t('channel.bulk.edit'), onSelect: () => onEdit(channels) },
    ...usualBulk({
      run,
      enable: {
        rows: channels.filter((channel) => !isEnabled(channel)),
        each: (channel) => setStatus(channel, enabled),
      },
      disable: {
        rows: channels.filter(isEnabled),
        each: (channel) => setStatus(channel, disabled),
        question: disableQuestion(channels.filter(isEnabled)),
        undo: (channel) => setStatus(channel, enabled),
      },
      remove: {
        rows: channels,
        each: remove,
        verb: t('channel.bulk.deleteSelected', { count: channels.length }),
        body: t('channel.bulk.deleteSelectedBody'),
      },
    }),
  ]
  return { actions, progress, run }
}
